import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runBowline } from '../support/command.ts';
import { startUp, type Up } from '../support/up.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-damaged-'));
const state = join(base, 'state');
const home = join(base, 'home');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const start = () => startUp({ home, opensNothing: true, args: ['--state', state] });
/** The state folder as the gateway left it, with what it wrote last in logs beside the databases. */
const asLeft = join(base, 'as-left');
const again = (of = state) =>
  runBowline(['up', '--port', '0', '--state', of, '--once'], { env: { BOWLINE_HOME: home } });
const gateDatabase = (of = state) => {
  const [found] = globSync('gateway/v3/do/bowline-GateObject/*.sqlite', { cwd: of });
  if (!found || found.includes('metadata')) throw new Error(`no database: ${found}`);
  return join(of, found);
};

async function callTool({ ready }: Up, tool: string, args: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` };
  const response = await fetch(`${ready.rest}/tools/${tool}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(args),
  });
  return { status: response.status, ...((await response.json()) as { code?: string; message?: string }) };
}

describe('a state folder with a damaged file', () => {
  beforeAll(async () => {
    await (await start()).stop();
    cpSync(state, asLeft, { recursive: true });
    // Write the log into the database. As long as the log holds everything, nothing is lost with the file beside it.
    const database = new DatabaseSync(gateDatabase());
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  });

  const garbage = (path: string) => writeFileSync(path, 'garbage\n');
  const empty = (path: string) => truncateSync(path, 0);
  const half = (path: string) => truncateSync(path, Math.floor(readFileSync(path).length / 2));
  it.each([
    ['memory-key', 'garbage', garbage, 'it holds no key'],
    ['memory-key', 'missing', (path: string) => rmSync(path), 'it is missing'],
    ['owner-key', 'half', half, 'it holds no key'],
    ['the gate’s database', 'half', half, ''],
    ['the gate’s database', 'empty', empty, 'it is empty'],
    // SQLite removes the log of an empty database, and begins anew.
    [
      'the gate’s database',
      'empty beside its log',
      (path: string) => {
        empty(path);
        writeFileSync(`${path}-wal`, 'what was written last');
      },
      'it is empty',
    ],
    ['the gate’s database', 'garbage', garbage, 'file is not a database'],
    ['the gate’s database', 'missing', (path: string) => rmSync(path), 'it is missing'],
  ])('names %s that is %s, says what to do, and starts nothing', async (name, _, spoil, why) => {
    const path = name.startsWith('the') ? gateDatabase() : join(state, name);
    const kept = join(base, 'kept');
    cpSync(path, kept);
    spoil(path);
    const { code, stderr } = await again();
    expect(code).toBe(1);
    expect(stderr).toContain(`${path} is damaged: ${why}`);
    expect(stderr).toContain(join(state, 'backups'));
    expect(existsSync(join(state, 'up.lock'))).toBe(false);
    cpSync(kept, path);
    rmSync(`${path}-wal`, { force: true });
  });

  it('names a log of the gate’s database that is missing, and starts nothing, however often it is asked', async () => {
    const log = `${gateDatabase(asLeft)}-wal`;
    const kept = readFileSync(log);
    rmSync(log);
    for (let time = 0; time < 2; time++) {
      const { code, stderr } = await again(asLeft);
      expect(code).toBe(1);
      expect(stderr).toContain(`${log} is damaged: it is missing`);
    }
    writeFileSync(log, kept, { mode: 0o600 });
    expect(await again(asLeft)).toMatchObject({ code: 0 });
  });

  it('starts as before once the file is back, and has backed up rules, settings and keys', async () => {
    expect(await again()).toMatchObject({ code: 0 });
    const [day = ''] = globSync('*', { cwd: join(state, 'backups') });
    const kept = join(state, 'backups', day);
    expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(readFileSync(join(kept, 'memory-key'), 'utf8')).toBe(
      readFileSync(join(state, 'memory-key'), 'utf8'),
    );
    expect(JSON.parse(readFileSync(join(kept, 'rules.json'), 'utf8'))).toEqual({ rules: [] });
    expect(globSync('*', { cwd: kept }).toSorted()).toEqual([
      ...['machine-key', 'machine.json', 'memory-key', 'owner-key', 'rules.json', 'settings.json'],
    ]);
  });
});

it('prints the alarm of a bridge that no longer knows what it saw of the memory', async () => {
  mkdirSync(join(state, 'machine'), { recursive: true, mode: 0o700 });
  writeFileSync(join(state, 'machine', 'memory-seen.json'), 'garbage\n');
  const up = await start();
  onTestFinished(() => void up.stop());
  await vi.waitUntil(() => up.output().includes('ALARM'), { timeout: 30_000 });
  expect(up.output()).toContain(`ALARM ${join(state, 'machine', 'memory-seen.json')} is damaged`);
  expect(await up.stop()).toBe(0);
});

/** A real small disk needs the right to mount one. */
const disk = join(base, 'disk');
const hasDisk = (() => {
  try {
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
afterAll(() => {
  if (hasDisk) execFileSync('umount', ['-l', disk]);
});

describe.runIf(hasDisk)('`npm start` on a disk that fills up', () => {
  it('names the disk, loses nothing, and goes on without a restart once there is room', async () => {
    const up = await startUp({
      home: join(base, 'home-2'),
      opensNothing: true,
      args: ['--state', join(disk, 'state')],
    });
    onTestFinished(() => void up.stop());
    expect(await callTool(up, 'list_dir', { path: '.' })).toMatchObject({ status: 200 });
    const fill = join(disk, 'fill');
    // `dd` ends with an error, as it is meant to.
    expect(() => execFileSync('dd', ['if=/dev/zero', `of=${fill}`, 'bs=1k'], { stdio: 'ignore' })).toThrow();
    const codes = new Set<unknown>();
    for (let i = 0; i < 40; i++) {
      const { code, status, message } = await callTool(up, 'list_dir', { path: '.' });
      codes.add(code ?? status);
      if (code === 'disk_full') expect(message).toMatch(/The disk of the gateway is full.* did not run/);
    }
    expect([...codes].toSorted()).toEqual([200, 'disk_full'].filter((one) => codes.has(one)));
    expect(codes).toContain('disk_full');
    expect(up.child.exitCode).toBeNull();
    rmSync(fill);
    await vi.waitUntil(async () => (await callTool(up, 'list_dir', { path: '.' })).status === 200, {
      timeout: 30_000,
    });
    expect(await up.stop()).toBe(0);
  });
});
