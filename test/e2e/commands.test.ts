import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';
import { untilWaiting } from '../support/waiting-calls.ts';

let up: Up;
let owner: OwnerSession;
const home = mkdtempSync(join(tmpdir(), 'bowline-commands-'));

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
const bowline = (args: string[], token = up.ready.token) =>
  runBowline(args, { env: { ...env(), BOWLINE_TOKEN: token } });
const write = (entry: string, ...more: string[]) =>
  bowline(['call', 'write_memory_entry', '--file', 'best_practices.md', `--entry=${entry}`, ...more]);

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
