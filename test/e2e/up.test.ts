import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { runBowline } from '../support/command.ts';
import { copyBuilt } from '../support/copied-build.ts';
import { processesUnder } from '../support/listening.ts';
import { isRunning } from '../support/proc.ts';
import { PROJECT, startUp } from '../support/up.ts';

let home: string;
/** Beside the home, and empty: to mirror the project takes a third of a start. */
let open: string;
beforeEach(() => {
  [home, open] = ['home', 'open'].map((name) => mkdtempSync(join(tmpdir(), `bowline-up-${name}-`))) as [
    string,
    string,
  ];
});
afterEach(() => {
  for (const folder of [home, open]) rmSync(folder, { recursive: true, force: true });
});

const up = (args: string[], env: Record<string, string> = {}) =>
  runBowline(['up', '--port', '0', '--root', open, ...args], { env: { BOWLINE_HOME: home, ...env } });

describe('bowline up', () => {
  it('answers, writes a private ready-file, and leaves no process behind after Ctrl-C', async () => {
    const running = await startUp({ home });
    expect(statSync(running.readyFile).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(readFileSync(running.readyFile, 'utf8'))).sort()).toEqual([
      'console',
      'mcp',
      'owner_key_file',
      'pid',
      'rest',
      'token',
    ]);
    expect(running.ready.pid).toBe(running.child.pid);
    expect((await fetch(`${running.ready.rest}/healthz`)).status).toBe(200);
    const children = processesUnder(running.child.pid);
    expect(children.length).toBeGreaterThan(0);
    expect(await running.stop()).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(existsSync(running.readyFile)).toBe(false);
  });

  it('goes on without this computer when its owner revokes it, and takes it back at the next start', async () => {
    const machines = async ({ rest, owner_key }: Awaited<ReturnType<typeof startUp>>['ready']) => {
      const owner = await signInAsOwner(rest, owner_key);
      const known = (await owner.call('GET', 'machines')) as { machines: { id: string; online: boolean }[] };
      return { owner, machines: known.machines };
    };
    const running = await startUp({ home, opensNothing: true });
    try {
      const { owner, machines: known } = await machines(running.ready);
      await owner.call('DELETE', `machines/${known[0]?.id}`);
      await expect.poll(running.output, { timeout: 20_000 }).toContain('was revoked');
      expect((await machines(running.ready)).machines).toEqual([]);
    } finally {
      expect(await running.stop()).toBe(0);
    }
    const again = await startUp({ home, opensNothing: true });
    try {
      expect((await machines(again.ready)).machines).toEqual([expect.objectContaining({ online: true })]);
    } finally {
      expect(await again.stop()).toBe(0);
    }
  });

  it('with --once stops after the self-check, leaves the ready-file, and builds the Worker anew only if a piece of it is missing', async () => {
    const built = join(home, 'built');
    const readyFile = join(home, 'ready.json');
    const start = () => up(['--once', '--ready-file', readyFile], { BOWLINE_BUILT_WORKER: built });
    if (!copyBuilt(built)) await start();
    const [note = ''] = globSync('*/built.json', { cwd: built });
    const { mtimeMs } = statSync(join(built, note));
    const { code, stdout, stderr } = await start();
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('Bowline is up.');
    const { rest } = JSON.parse(readFileSync(readyFile, 'utf8'));
    await expect(fetch(rest)).rejects.toThrow();
    expect(statSync(join(built, note)).mtimeMs).toBe(mtimeMs);
    const worker = join(built, dirname(note), 'worker.js');
    rmSync(worker);
    expect(await start()).toMatchObject({ code: 0 });
    expect(existsSync(worker)).toBe(true);
  });

  it('names a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await up(['--port', String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} is taken by another program.`);
    expect(stderr).toContain('--port');
  });

  it('names a state folder that cannot be one', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await up(['--state', join(file, 'state')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The state folder .*file\/state cannot be used: ENOTDIR/);
    expect(stderr).toContain('--state');
  });

  it('refuses a state folder that another one holds, and takes over from one that crashed', async () => {
    const state = join(home, 'state');
    mkdirSync(state);
    writeFileSync(join(state, 'up.lock'), JSON.stringify({ pid: process.pid, url: 'http://localhost:1' }));
    const refused = await up(['--state', state, '--once']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`process ${process.pid}, http://localhost:1`);
    // Its port is taken as well, by itself: that is not the news.
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const twice = await up(['--state', state, '--port', String(port)]);
    other.close();
    expect(twice.stderr).toContain('Bowline is already running');
    writeFileSync(join(state, 'up.lock'), '{"pid":');
    expect((await up(['--state', state, '--once'])).code).toBe(0);
  });

  it('says so when the gateway dies while it starts', async () => {
    const state = join(home, 'state');
    // The local runtime keeps its data in this folder; a file in its place is something it cannot mend.
    mkdirSync(state);
    writeFileSync(join(state, 'gateway'), 'not a folder');
    const { code, stderr } = await up(['--state', state, '--once']);
    expect(code).toBe(1);
    expect(stderr).toContain('The gateway stopped while it was starting. It last said:');
    expect(stderr).toContain('ENOTDIR');
  });

  it('says how to install the runtime where it is missing', async () => {
    const clone = cloneWithout('wrangler');
    const { code, stderr } = await runBowline(['up', '--port', '0'], {
      env: { BOWLINE_HOME: home },
      program: join(clone, 'local-bridge', 'bin.mjs'),
    });
    rmSync(clone, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain('wrangler');
    expect(stderr).toContain('npm ci');
  });

  it('refuses a root that is not there and a port that is none', async () => {
    const noRoot = await up(['--root', join(home, 'nowhere')]);
    expect([noRoot.code, noRoot.stderr]).toEqual([1, expect.stringContaining('There is no folder')]);
    const noPort = await runBowline(['up', '--port', '70000']);
    expect([noPort.code, noPort.stderr]).toEqual([2, expect.stringContaining('0 to 65535')]);
  });
});

/** The project's sources beside all of its packages but one. */
function cloneWithout(missing: string): string {
  const clone = mkdtempSync(join(tmpdir(), 'bowline-clone-'));
  for (const name of ['contracts', 'src', 'wrangler.toml'])
    symlinkSync(join(PROJECT, name), join(clone, name));
  // Copied, because Node looks for packages from where a file really is.
  copyFolder(join(PROJECT, 'local-bridge'), join(clone, 'local-bridge'));
  mkdirSync(join(clone, 'node_modules'));
  for (const name of readdirSync(join(PROJECT, 'node_modules'))) {
    if (name !== missing) symlinkSync(join(PROJECT, 'node_modules', name), join(clone, 'node_modules', name));
  }
  return clone;
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    if (entry.isDirectory()) copyFolder(join(from, entry.name), join(to, entry.name));
    else {
      writeFileSync(join(to, entry.name), readFileSync(join(from, entry.name)));
      chmodSync(join(to, entry.name), 0o755);
    }
  }
}
