import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { examine } from '../../../local-bridge/cli/doctor/examine.ts';
import {
  type HerePorts,
  herePorts,
  LOW_FREE_BYTES,
  MIN_FREE_BYTES,
} from '../../../local-bridge/cli/doctor/here.ts';
import {
  FROZEN_MS,
  keepBeating,
  readStatus,
  writeStatus,
} from '../../../local-bridge/cli/service/status-file.ts';
import { openTerminal, type TerminalStatus } from '../../../local-bridge/tools/terminal/terminal.ts';
import { VERSION } from '../../../src/core/version.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline-here-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const SANDBOXED: TerminalStatus = {
  on: true,
  sandboxed: true,
  confinement: 'Seatbelt',
  shell: '/bin/sh',
  network: [],
};

async function look(more: Partial<HerePorts> = {}) {
  const here = { home, freeBytes: () => LOW_FREE_BYTES, terminalStatus: async () => SANDBOXED, ...more };
  const findings = await examine({ here, heard: () => undefined });
  return {
    all: findings,
    of: (check: string) => findings.find((finding) => finding.check === check),
    wrong: findings.filter(({ state }) => state !== 'ok').map(({ check }) => check),
  };
}

const keep = (name: string, content: unknown, mode = 0o600) => {
  writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(join(home, name), mode);
};
const MACHINE = { gateway: 'https://bowline.example', id: `m_${'0'.repeat(32)}`, name: 'mini' };
const STATUS = {
  pid: process.pid,
  gateway: MACHINE.gateway,
  machine: 'mini',
  state: 'online',
  since: 1,
  version: VERSION,
  roots: [],
};

describe('doctor, on this computer', () => {
  it('finds nothing wrong where nothing is', async () => {
    expect((await look()).wrong).toEqual([]);
    rmSync(home, { recursive: true });
    expect((await look()).wrong).toEqual([]);
  });

  it.each([
    [MIN_FREE_BYTES - 1, 'failed'],
    [MIN_FREE_BYTES, 'warning'],
    [LOW_FREE_BYTES - 1, 'warning'],
    [LOW_FREE_BYTES, 'ok'],
  ])('takes a disk with %s bytes free for %s', async (bytes, state) => {
    const { of } = await look({ freeBytes: () => bytes });
    expect(of('disk space')?.state).toBe(state);
    if (state !== 'ok') expect(of('disk space')?.cure).toMatch(/^Free some/);
  });

  it('measures the disk of a folder that is yet to be made', async () => {
    const deep = join(home, 'not', 'yet');
    const { of } = await look({ home: deep, freeBytes: herePorts(deep).freeBytes });
    expect(of('disk space')?.found).toMatch(/^(Only )?\d+ (MB|GB)/);
  });

  it('finds secrets that others can read, and not those that they cannot', async () => {
    keep('credentials.json', {});
    keep('bridge.json', {}, 0o644);
    expect((await look()).wrong).toEqual([]);
    keep('machine-key', 'secret', 0o640);
    const { of } = await look();
    expect(of('state folder')?.found).toContain('machine-key');
    expect(of('state folder')?.cure).toContain(`chmod -R go-rwx ${home}`);
  });

  it('finds a state folder that others may write in', async () => {
    chmodSync(home, 0o777);
    expect((await look()).of('state folder')?.cure).toContain('chmod');
  });

  it('finds a file where the state folder should be', async () => {
    keep('file', '');
    const { all } = await look({ home: join(home, 'file') });
    expect(all[0]).toMatchObject({ check: 'state folder', state: 'failed' });
  });

  it('finds settings that no bridge starts with', async () => {
    keep('bridge.json', { terminal: { sandbox: 'sometimes' } });
    expect((await look()).of('settings')?.found).toContain('terminal.sandbox');
    keep('bridge.json', '{');
    expect((await look()).of('settings')?.found).toContain('not JSON');
  });

  it('finds a paired computer whose bridge does not run', async () => {
    keep('machine.json', MACHINE);
    const { of } = await look();
    expect(of('bridge')).toMatchObject({ state: 'failed' });
    expect(of('bridge')?.cure).toContain('bowline service install');
  });

  it('finds a bridge that runs and cannot connect, and one that is old', async () => {
    keep('machine.json', MACHINE);
    writeStatus(home, STATUS);
    expect((await look()).wrong).toEqual([]);
    writeStatus(home, { ...STATUS, state: 'offline' });
    expect((await look()).of('bridge')?.cure).toContain('https://bowline.example');
    writeStatus(home, { ...STATUS, version: '0.0.1' });
    expect((await look()).of('bridge version')).toMatchObject({ state: 'warning' });
  });

  it('finds a bridge that is there and does nothing, and believes one that says nothing of beats', async () => {
    keep('machine.json', MACHINE);
    const old = () =>
      utimesSync(join(home, 'bridge-status.json'), new Date(), new Date(Date.now() - FROZEN_MS - 1_000));
    writeStatus(home, { ...STATUS, beats: true });
    expect((await look()).wrong).toEqual([]);
    old();
    const { of } = await look();
    expect(of('bridge')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('has done nothing since'),
    });
    expect(of('bridge')?.cure).toContain(`kill -CONT ${process.pid}`);
    writeStatus(home, STATUS);
    old();
    expect((await look()).wrong).toEqual([]);
  });

  it('takes a bridge that beats for one that works', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    writeStatus(home, { ...STATUS, beats: true });
    const beats = keepBeating(home);
    onTestFinished(() => beats.stop());
    utimesSync(join(home, 'bridge-status.json'), new Date(0), new Date(0));
    expect(readStatus(home)?.state).toBe('frozen');
    vi.advanceTimersByTime(FROZEN_MS / 4);
    expect(readStatus(home)?.state).toBe('online');
  });

  it('finds open folders that are gone, of the settings and of the bridge', async () => {
    keep('machine.json', MACHINE);
    const there = join(home, 'there');
    mkdirSync(there);
    keep('bridge.json', { roots: [{ path: there }] });
    writeStatus(home, { ...STATUS, roots: [{ name: 'there', path: there }] });
    expect((await look()).of('open folders')).toMatchObject({ state: 'ok' });
    keep('bridge.json', { roots: [{ path: there }, { path: '/no/such/folder' }] });
    expect((await look()).of('open folders')?.found).toContain('No folder is at /no/such/folder');
    keep('bridge.json', {});
    rmSync(there, { recursive: true });
    const { of } = await look();
    expect(of('open folders')).toMatchObject({ state: 'failed', cure: expect.stringContaining('--root') });
    expect(of('open folders')?.found).toContain(there);
  });

  it.each([
    ['off by setting', { sandboxed: false }, { sandbox: 'off' }, 'warning', /Remove `terminal.sandbox` from/],
    [
      'missing',
      { sandboxed: false, unsandboxedBecause: 'No bwrap.' },
      undefined,
      'warning',
      /install bubblewrap and socat/,
    ],
    [
      'leaking',
      { on: false, reason: 'The sandbox does not hold.', canaries: { at: new Date(), found: ['a leak'] } },
      undefined,
      'failed',
      /Update the system/,
    ],
    [
      'required and missing',
      { on: false, reason: 'The settings require a sandbox.' },
      { sandbox: 'required' },
      'failed',
      /set `terminal.sandbox` to `auto`/,
    ],
  ] as const)('finds a sandbox that is %s', async (_what, status, terminal, state, cure) => {
    if (terminal) keep('bridge.json', { terminal });
    const { of } = await look({ terminalStatus: async () => ({ ...SANDBOXED, ...status }) });
    expect(of('terminal sandbox')).toMatchObject({ state });
    expect(of('terminal sandbox')?.cure).toMatch(cure);
  });

  it.each([
    ['here', { command: ['sh'] }, 'ok'],
    ['nowhere', { command: ['no-such-program'] }, 'failed'],
    [
      'on the other computer',
      { command: ['sh'], host: 'studio', ssh: ['sh', '-c', 'exec sh -s', 'ssh'] },
      'ok',
    ],
    [
      'not on the other',
      { command: ['nope'], host: 'studio', ssh: ['sh', '-c', 'exec sh -s', 'ssh'] },
      'failed',
    ],
    ['out of reach', { host: 'studio', ssh: ['sh', '-c', 'exit 255', 'ssh'] }, 'failed'],
  ])('looks for what starts models, which is %s', async (_where, mlx, state) => {
    keep('bridge.json', { mlx });
    expect((await look()).of('MLX')).toMatchObject({ state });
  });

  it('lets a terminal be off by setting, and does not open it', async () => {
    keep('bridge.json', { terminal: { enabled: false } });
    const { of } = await look({ terminalStatus: () => Promise.reject(new Error('opened')) });
    expect(of('terminal sandbox')).toMatchObject({ state: 'ok' });
  });

  it('opens the real terminal, and leaves nothing of it behind', async () => {
    mkdirSync(join(home, 'link'));
    const terminal = await openTerminal({ home, roots: [] }, { sandbox: 'off' });
    const expected = terminal.status().confinement;
    await terminal.close();
    const { confinement, sandboxed } = await herePorts(home).terminalStatus({ sandbox: 'off' });
    expect({ confinement, sandboxed }).toEqual({ confinement: expected, sandboxed: false });
  });
});
