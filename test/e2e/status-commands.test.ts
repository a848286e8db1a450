import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';

let home: string;
let up: Up;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'bowline-status-'));
  up = await startUp({ home, opensNothing: true });
});
afterAll(async () => {
  await up?.stop();
  rmSync(home, { recursive: true, force: true });
});

const bowline = (args: string[], token = up.ready.token) =>
  runBowline(args, { env: { BOWLINE_HOME: home, BOWLINE_URL: up.ready.rest, BOWLINE_TOKEN: token } });

it('status and whoami tell who is signed in from who is not any more', async () => {
  const good = await bowline(['status']);
  expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('this computer is signed in')]);
  const who = JSON.parse((await bowline(['whoami', '--json'])).stdout);
  expect(who).toMatchObject({ gateway: up.ready.rest, standing: 'signed in' });
  const gone = await bowline(['whoami'], `${up.ready.token}x`);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('Signed out')]);
});

it('machines lists the machine and the folder that it opens', async () => {
  const { machines } = JSON.parse((await bowline(['machines', '--json'])).stdout);
  expect(machines).toMatchObject([{ online: true }]);
  const { stdout } = await bowline(['machines']);
  expect(stdout.split('\n')[1]).toContain(machines[0].name);
  expect(stdout).toContain(machines[0].roots[0].path);
});

it('logs prints the last lines, made safe', async () => {
  mkdirSync(join(home, 'logs'), { recursive: true });
  const log = join(home, 'logs', 'bridge.log');
  writeFileSync(log, 'one\ntwo\n');
  appendFileSync(log, 'three \u001b[2J\n');
  const { code, stdout } = await bowline(['logs', '-n', '2']);
  expect([code, stdout.split('\n').slice(0, 2)]).toEqual([0, ['two', expect.stringMatching(/^three /)]]);
  expect(stdout).not.toContain('\u001b');
});
