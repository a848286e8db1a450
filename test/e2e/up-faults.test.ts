import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../local-bridge/lib/processes.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-faults-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const start = async (state: string): Promise<Up> => {
  const home = mkdtempSync(join(base, 'home-'));
  const up = await startUp({ home, opensNothing: true, args: ['--state', state] });
  onTestFinished(() => void up.stop());
  return up;
};

async function listDir({ ready }: Up): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` };
  const asked = { method: 'POST', headers, body: JSON.stringify({ path: '.' }) };
  return (await fetch(`${ready.rest}/tools/list_dir`, asked)).status;
}

const lockOf = (state: string) =>
  JSON.parse(readFileSync(join(state, 'up.lock'), 'utf8')) as { pid: number; helper: { pid: number } };
const bridgeOf = (state: string): number =>
  JSON.parse(readFileSync(join(state, 'machine', 'bridge-status.json'), 'utf8')).pid;

describe('`npm start` when something of it ends', () => {
  /** A journal of the first test's machine, from before its bridge was killed. */
  const earlier = join(base, 'earlier');

  it('starts a bridge again that somebody killed, and says so', async () => {
    const state = join(base, 'bridge-killed');
    const up = await start(state);
    cpSync(join(state, 'machine', 'link', 'journal'), earlier);
    process.kill(bridgeOf(state), 'SIGKILL');
    await vi.waitUntil(() => up.output().includes('The bridge is back.'), { timeout: 30_000 });
    expect(up.output()).toContain('The bridge stopped by itself. It starts again in 1 s.');
    expect(await listDir(up)).toBe(200);
    expect(up.child.exitCode).toBeNull();
    expect(await up.stop()).toBe(0);
  });

  it('runs on a copy of its state folder, whose journal then begins anew', async () => {
    const state = join(base, 'bridge-killed');
    // The bridge's journal is from before it was killed, and the gateway's databases are not.
    cpSync(earlier, join(state, 'machine', 'link', 'journal'));
    const again = await start(state);
    expect(await listDir(again)).toBe(200);
    expect(await again.stop()).toBe(0);
  });

  it('ends a gateway that outlived its `npm start` and that one’s keeper, before it opens the same state', async () => {
    const state = join(base, 'orphan');
    const up = await start(state);
    const { pid, helper } = lockOf(state);
    // The keeper would end the gateway. It goes first, as when a system runs out of memory.
    const keepers = execFileSync('pgrep', ['-P', String(pid), '-f', 'bowline-keeper'], { encoding: 'utf8' });
    for (const keeper of keepers.trim().split('\n')) process.kill(Number(keeper), 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => !isAlive(pid), { timeout: 30_000 });
    expect(isAlive(helper.pid)).toBe(true);
    const second = await start(state);
    expect(isAlive(helper.pid)).toBe(false);
    expect(second.ready.owner_key).toBe(up.ready.owner_key);
    expect(await second.stop()).toBe(0);
  });

  it('is refused beside one that runs, and does not take a process of another start for it', async () => {
    const state = join(base, 'twice');
    mkdirSync(state, { mode: 0o700 });
    // This process has the number, but it is another one.
    const reused = { pid: process.pid, started: 'before the system started', url: 'http://localhost:1' };
    writeFileSync(join(state, 'up.lock'), JSON.stringify(reused));
    const up = await start(state);
    expect(lockOf(state).pid).toBe(up.ready.pid);
    const env = { BOWLINE_HOME: mkdtempSync(join(base, 'home-')) };
    const second = await runBowline(['up', '--port', '0', '--state', state, '--once'], { env });
    expect(second).toMatchObject({ code: 1 });
    expect(second.stderr).toContain(
      `Bowline is already running with the state in ${state} (process ${up.ready.pid}`,
    );
    expect(await up.stop()).toBe(0);
  });
});

describe('a lock that many want at once', () => {
  it('goes to one of them, also when a stale one lies there', async () => {
    const folder = mkdtempSync(join(base, 'lock-'));
    const lock = join(folder, 'lock');
    const program = `
      import { takeLock } from ${JSON.stringify(import.meta.resolve('../../local-bridge/lib/lock.ts'))};
      process.stdin.once('data', () => {
        const taken = takeLock(process.argv[1]);
        console.log('lock' in taken ? 'mine' : 'held');
        process.stdin.once('data', () => process.exit());
      });
      console.log('ready');
    `;
    for (let round = 0; round < (AT_LENGTH ? 5 : 2); round++) {
      const stale = { pid: process.pid, started: 'long ago' };
      writeFileSync(lock, JSON.stringify(stale));
      const all = Array.from({ length: 6 }, () =>
        spawn('node', ['--input-type=module', '--eval', program, lock], {
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      );
      const said = all.map(() => '');
      for (const [at, { stdout }] of all.entries())
        stdout.setEncoding('utf8').on('data', (text: string) => {
          said[at] += text;
        });
      await vi.waitUntil(() => said.every((one) => one.includes('ready')), { timeout: 30_000 });
      for (const { stdin } of all) stdin.write('go\n');
      await vi.waitUntil(() => said.every((one) => /mine|held/.test(one)), { timeout: 30_000 });
      expect(said.filter((one) => one.includes('mine'))).toHaveLength(1);
      for (const { stdin } of all) stdin.write('end\n');
      await vi.waitUntil(() => all.every(({ exitCode }) => exitCode !== null), { timeout: 30_000 });
      rmSync(lock, { force: true });
    }
  });
});
