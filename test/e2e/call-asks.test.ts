import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

let up: Up;
let owner: OwnerSession;
const home = mkdtempSync(join(tmpdir(), 'bowline-asks-'));

beforeAll(async () => {
  up = await startUp({ home, opensNothing: true });
  owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
});
afterAll(async () => {
  await up?.stop();
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({ BOWLINE_HOME: home, BOWLINE_URL: up.ready.rest });
const asOwner = (...args: string[]) =>
  runBowline(args, { env: { ...env(), BOWLINE_OWNER_KEY: up.ready.owner_key } });
const write = (entry: string, ...more: string[]) =>
  runBowline(['call', 'write_memory_entry', '--file', 'best_practices.md', `--entry=${entry}`, ...more], {
    env: { ...env(), BOWLINE_TOKEN: up.ready.token },
  });

/** Waits until exactly this entry asks, and gives its code. */
const codeOf = (entry: string): Promise<string> =>
  untilWaiting(owner, (all) => all.find(({ full }) => full.includes(entry))?.code);

describe('bowline call of a tool that asks', () => {
  it('waits, and ends with 0 and a line for people once the owner says yes', async () => {
    const calling = write('- Measure first.');
    expect((await asOwner('approvals', 'approve', await codeOf('Measure first'))).code).toBe(0);
    const { code, stdout } = await calling;
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ Appended line 1 (17 bytes)')]);
  });

  it('ends with 3 and the reason once the owner says no', async () => {
    const calling = write('- Guess first.', '--json');
    expect((await asOwner('approvals', 'deny', await codeOf('Guess first'))).code).toBe(0);
    const { code, stdout } = await calling;
    expect([code, JSON.parse(stdout).code]).toEqual([3, 'approval_denied']);
  });
});
