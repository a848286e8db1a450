import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OwnerSession, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { type Running, startBowline } from '../support/bridge.ts';
import { runBowline } from '../support/command.ts';
import { promised, SOON_MS } from '../support/soon.ts';
import { hasTerminal, type InTerminal, inTerminal } from '../support/terminal.ts';
import { startUp, type Up } from '../support/up.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-pairing-'));
let up: Up;
let owner: OwnerSession;
let home: string;
/** Beside the home, which is shut to tools. */
let root: string;
const running: Running[] = [];
const terminals: InTerminal[] = [];

beforeAll(async () => {
  up = await startUp({ home: join(base, 'up'), opensNothing: true });
  owner = await signInAsOwner(up.ready.rest, up.ready.owner_key);
});
afterAll(async () => {
  await up?.stop();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  home = mkdtempSync(join(base, 'machine-'));
  root = mkdtempSync(join(base, 'root-'));
});
afterEach(async () => {
  for (const one of terminals.splice(0)) one.kill();
  for (const one of running.splice(0)) if (one.child.exitCode === null) await one.end('SIGKILL');
});

interface Listed {
  readonly machines: { id: string; name: string; online: boolean; roots: object[]; version: string | null }[];
  readonly pending: { code: string; fingerprint: string; name: string }[];
}

const listed = async () => (await owner.call('GET', 'machines')) as Listed;
const named = async (name: string) => (await listed()).machines.find((machine) => machine.name === name);
const env = (more: Record<string, string> = {}) => ({ BOWLINE_HOME: home, ...more });
const run = (args: string[], more?: Record<string, string>) => runBowline(args, { env: env(more) });

function start(args: string[], more?: Record<string, string>): Running {
  const started = startBowline(args, env(more));
  running.push(started);
  return started;
}

const pairAsOwner = (name: string) =>
  run(['pair', up.ready.rest, '--name', name, '--confirm'], { BOWLINE_OWNER_KEY: up.ready.owner_key });

async function connected(name: string): Promise<Running> {
  expect(await pairAsOwner(name)).toMatchObject({ code: 0 });
  const bridge = start(['connect', '--root', `site=${root}`]);
  await bridge.shows(/● online/);
  return bridge;
}

/** Calls a tool as a client of the gateway's does. */
async function callOn(machine: string, tool: string, args: object) {
  const response = await fetch(`${up.ready.rest}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${up.ready.token}` },
    body: JSON.stringify({ machine, ...args }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

describe('bowline pair', () => {
  it('shows what the console shows, waits for the owner, and keeps a key that never leaves', async () => {
    const pairing = start(['pair', up.ready.rest, '--name', 'mini']);
    const [, code, fingerprint] = await pairing.shows(/Code: (\S+)\n {2}Fingerprint: ([0-9a-f ]+)\n/);
    const [waiting] = (await listed()).pending;
    expect(waiting).toMatchObject({ code, fingerprint, name: 'mini' });
    expect(pairing.output()).toContain(`${up.ready.rest}/machines/pair?code=${code}`);
    await owner.call('POST', `machines/pair/${code}`, {
      decision: 'confirm',
      fingerprint: fingerprint ?? '',
    });
    expect(await pairing.ended).toBe(0);
    expect(pairing.output()).toContain(`Paired with ${up.ready.rest} as mini.`);
    const key = join(home, 'machine-key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'machine.json')).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(await listed())).not.toContain(readFileSync(key, 'utf8').split('\n')[1]);
    // Again, it finds itself paired.
    expect(await run(['pair', up.ready.rest, '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"name": "mini"'),
      stderr: '',
    });
  });

  it('ends with 3 when the owner says no', async () => {
    const pairing = start(['pair', up.ready.rest, '--name', 'stranger']);
    const [, code] = await pairing.shows(/Code: (\S+)/);
    await owner.call('POST', `machines/pair/${code}`, { decision: 'deny' });
    expect(await pairing.ended).toBe(3);
    expect(existsSync(join(home, 'machine.json'))).toBe(false);
  });

  it('says what is wrong with a gateway, a name, a key that others can read, or a missing owner', async () => {
    expect((await run(['pair', 'http://localhost:9'])).stderr).toContain('cannot be reached');
    expect(await run(['pair', up.ready.rest, '--name', 'a b'])).toMatchObject({ code: 2 });
    const other = up.ready.rest.replace('localhost', '127.0.0.1');
    expect(await run(['pair', other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`bowline pair ${up.ready.rest}`),
    });
    expect(await run(['pair', up.ready.rest, '--confirm'])).toMatchObject({ code: 3 });
    rmSync(join(home, 'machine-key'));
    writeFileSync(join(home, 'machine-key'), 'not a key', { mode: 0o644 });
    expect((await run(['pair', up.ready.rest])).stderr).toContain('Other users can read');
  });
});

describe('bowline connect', () => {
  it('connects, is listed with its folder, and leaves in order when told to', async () => {
    const bridge = await connected('desk');
    expect(await named('desk')).toMatchObject({
      online: true,
      roots: [{ name: 'site', path: root }],
      version: '0.1.0',
    });
    const status = join(home, 'bridge-status.json');
    expect(statSync(status).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(status, 'utf8'))).toMatchObject({
      state: 'online',
      machine: 'desk',
      pid: bridge.child.pid,
    });
    const told = await run(['service', 'status', '--json']);
    expect(JSON.parse(told.stdout)).toMatchObject({ bridge: { state: 'online', machine: 'desk' } });
    // One bridge a home: the second gives way and the first stays.
    expect(await run(['connect', '--root', root])).toMatchObject({ code: 1 });
    const { id } = (await named('desk')) ?? { id: '' };
    expect(await owner.call('POST', `machines/${id}/ping`)).toMatchObject({ ms: expect.any(Number) });
    expect(await bridge.end('SIGTERM')).toBe(0);
    expect(bridge.output()).toMatch(/draining\n.*stopped/);
    expect(bridge.output()).not.toContain('Owner key');
    expect(existsSync(status)).toBe(false);
    expect(await named('desk')).toMatchObject({ online: false });
    const answer = await owner.call('POST', `machines/${id}/ping`).catch((error: Error) => error.message);
    expect(answer).toBe('The machine does not answer.');
  });

  it('goes on where it can’t write down how it stands', async () => {
    const status = join(home, 'bridge-status.json');
    mkdirSync(join(status, 'taken'), { recursive: true });
    const bridge = await connected('full');
    expect(bridge.output()).toContain('[status]');
    rmSync(status, { recursive: true });
    expect(await bridge.end('SIGTERM')).toBe(0);
  });

  it('is cut off within five seconds of being revoked, and does not come back', async () => {
    const bridge = await connected('gone');
    const { id } = (await named('gone')) ?? { id: '' };
    const began = performance.now();
    await owner.call('DELETE', `machines/${id}`);
    expect(await bridge.ended).toBe(3);
    expect(performance.now() - began).toBeLessThan(promised(5_000));
    expect(bridge.output()).toContain('does not let gone in');
    expect(await named('gone')).toBeUndefined();
    const again = await run(['connect', '--root', root]);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('not paired there') });
  });

  it('runs nothing that its own settings deny, nor what they have it ask about while nobody is there', async () => {
    writeFileSync(join(home, 'bridge.json'), '{"deny":["read_file"],"ask":["list_dir"]}');
    writeFileSync(join(root, 'a.txt'), 'nobody reads this');
    await connected('strict');
    expect(await callOn('strict', 'read_file', { path: 'a.txt' })).toMatchObject({
      ...{ status: 403, code: 'denied_by_rule' },
      message: 'strict does not run read_file: its own settings forbid it.',
    });
    expect(await callOn('strict', 'list_dir', { path: '.' })).toMatchObject({
      ...{ status: 403, code: 'approval_required' },
      message: 'list_dir needs an approval in the terminal of strict, and nobody answered there.',
    });
    expect(await callOn('strict', 'file_search', { pattern: 'a.txt' })).toMatchObject({ status: 200 });
  });

  it('starts nothing without pairing, a folder, or settings that make sense', async () => {
    const connecting = ['connect', '--root', root];
    expect(await run(connecting)).toMatchObject({ code: 2, stderr: expect.stringContaining('bowline pair') });
    await pairAsOwner('careful');
    expect(await run(['connect'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--root') });
    writeFileSync(join(home, 'bridge.json'), '{"deny":["run_in_termnal"]}');
    expect(await run(connecting)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean run_in_terminal'),
    });
  });
});

describe.skipIf(!hasTerminal)('in a real terminal', () => {
  const inHand = (args: string[]) => {
    const terminal = inTerminal(args, env());
    terminals.push(terminal);
    return terminal;
  };

  it('confirms the pairing with the owner key, typed unseen', async () => {
    const terminal = inHand(['pair', up.ready.rest, '--name', 'typed', '--confirm']);
    await terminal.shows(/Owner key \(it is not shown\): /);
    terminal.type(`${up.ready.owner_key}\r`);
    await terminal.shows(/Paired with \S+ as typed\./);
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).not.toContain('bwl_owner_');
  });

  it('runs without approvals where Enter leaves them out', async () => {
    await pairAsOwner('quiet');
    const terminal = inHand(['connect', '--root', root]);
    await terminal.shows(/Enter skips this\): /);
    terminal.type('\r');
    await terminal.shows(/● online/);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });
});

describe('a copy of a machine’s folder', () => {
  it('stops with a sentence, and is made the machine by `pair --replace`', { timeout: 60_000 }, async () => {
    const first = await connected('twin');
    const copy = mkdtempSync(join(base, 'copy-'));
    cpSync(home, copy, { recursive: true });
    rmSync(join(copy, 'link', 'lock'));
    const inCopy = { BOWLINE_HOME: copy };
    const second = start(['connect', '--root', `site=${root}`], inCopy);
    expect(await second.ended).toBe(4);
    expect(second.output()).toContain('Another copy of twin has connected');
    expect(second.output()).toContain('bowline pair --replace');
    expect(first.child.exitCode).toBeNull();
    expect(await callOn('twin', 'list_dir', { path: '.' })).toMatchObject({ status: 200 });

    expect(await run(['pair', up.ready.rest, '--replace', '--name', 'twin'], inCopy)).toMatchObject({
      code: 0,
    });
    const third = start(['connect', '--root', `site=${root}`], inCopy);
    await third.shows(/● online/);
    expect(await first.ended).toBe(4);
    expect(first.output()).toContain('Another copy of twin has connected');
    expect(third.child.exitCode).toBeNull();
    expect(await third.end('SIGTERM')).toBe(0);
  });
});

describe('revoking everything', () => {
  it('cuts off every machine, the gateway’s own too', async () => {
    const bridge = await connected('last');
    const began = performance.now();
    await owner.call('POST', 'revoke-everything');
    expect(await bridge.ended).toBe(3);
    expect(performance.now() - began).toBeLessThan(promised(5_000));
    // The gateway itself goes on, without the computer that it runs on.
    await vi.waitUntil(() => up.output().includes('was revoked. The gateway continues without it'), {
      timeout: SOON_MS,
    });
    expect(up.child.exitCode).toBe(null);
    expect((await fetch(`${up.ready.rest}/healthz`)).status).toBe(200);
  });
});
