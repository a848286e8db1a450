import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLocalGate } from '../../../local-bridge/local/gate/local-gate.ts';
import { gateCall } from '../../../src/gate/gate-call.ts';
import { runBowline } from '../../support/command.ts';
import { callerNamed, deskTools } from '../../support/gate-tools.ts';
import { prepared } from '../../support/prepared.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline-forged-rows-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

it('a caller who names itself in two lines has one row in the ledger, as all have', async () => {
  const forged = '9  2026-01-01 00:00:00  desk_burn  ok, approved, by Ada';
  const gate = openLocalGate(home);
  const caller = callerNamed('ada', { client: `tests\n${forged}` });
  gate.now().admit(gateCall(prepared(deskTools['desk.look'], { path: 'a' }, { caller })), []);
  gate.close();
  const { stdout, code } = await runBowline(['ledger', '--local'], { env: { BOWLINE_HOME: home } });
  const rows = stdout.trimEnd().split('\n');
  expect([code, rows.length]).toEqual([0, 2]);
  expect(rows[1]).toMatch(/ {2}desk_look +a .* tests\\n9 {2}2026/);
});
