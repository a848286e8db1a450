import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { savePairedMachine } from '../../../local-bridge/agent/pairing/machine-file.ts';
import { writeStatus } from '../../../local-bridge/cli/service/status-file.ts';
import { runBowline } from '../../support/command.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline service-'));
  mkdirSync(join(home, 'root'));
  mkdirSync(join(home, 'bin'));
  systemctl('exit 0');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Puts a `systemctl` in the way that writes down what it is told. */
function systemctl(ends: string): void {
  const file = join(home, 'bin', 'systemctl');
  writeFileSync(file, `#!/bin/sh\necho "$@" >> '${join(home, 'told')}'\n${ends}\n`);
  chmodSync(file, 0o755);
}

const told = () => readFileSync(join(home, 'told'), 'utf8').trim().split('\n');
const unit = () => join(home, 'config', 'systemd', 'user', 'bowline.service');
const run = (...args: string[]) =>
  runBowline(['service', ...args], {
    env: {
      BOWLINE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
      BOWLINE_OWNER_KEY: 'bwl_owner_secret',
      BOWLINE_TOKEN: 'bwl_pat_secret',
    },
  });
const pair = () =>
  savePairedMachine(join(home, 'state'), {
    gateway: 'https://gateway.example',
    id: `m_${'0'.repeat(32)}`,
    name: 'mini',
  });

describe.skipIf(process.platform !== 'linux')('bowline service', () => {
  it('installs a unit without secrets, starts it, and takes it away again', async () => {
    pair();
    const root = `site=${join(home, 'root')}`;
    const printed = await run('install', '--root', root, '--print');
    expect([printed.code, existsSync(unit()), existsSync(join(home, 'told'))]).toEqual([0, false, false]);
    expect(await run('install', '--root', root)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(unit(), 'utf8')).toBe(printed.stdout);
    expect(printed.stdout).toContain(`"connect" "--root" "${root}"`);
    expect(printed.stdout).not.toMatch(/secret/);
    expect(told()).toEqual([
      '--user daemon-reload',
      '--user enable bowline.service',
      '--user restart bowline.service',
    ]);
    expect(statSync(join(home, 'state', 'logs')).mode & 0o777).toBe(0o700);
    expect(JSON.parse((await run('status', '--json')).stdout)).toEqual({
      installed: true,
      running: true,
      bridge: null,
    });
    expect((await run('uninstall')).code).toBe(0);
    expect([told().at(-1), existsSync(unit())]).toEqual(['--user disable --now bowline.service', false]);
    expect(await run('uninstall')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not installed'),
    });
  });

  it('installs nothing that could not start', async () => {
    expect(await run('install', '--root', join(home, 'root'))).toMatchObject({ code: 2 });
    pair();
    expect(await run('install')).toMatchObject({ code: 2 });
    expect(await run('install', '--root', join(home, 'nowhere'))).toMatchObject({ code: 2 });
    expect(existsSync(unit())).toBe(false);
  });

  it('says what the service manager said when it would not', async () => {
    pair();
    systemctl('echo "Failed to connect to bus" >&2; exit 1');
    expect(await run('install', '--root', join(home, 'root'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('systemctl --user daemon-reload failed: Failed to connect to bus'),
    });
    expect((await run('status')).stdout).toContain('Not running.');
  });

  it('tells how the bridge stands, and nothing of one that is gone', async () => {
    const status = {
      pid: process.pid,
      gateway: 'https://gateway.example',
      machine: 'mini',
      state: 'online',
      since: Date.UTC(2026, 0, 9),
      version: '0.1.0',
      roots: [{ name: 'site', path: '/srv/site' }],
    };
    writeStatus(join(home, 'state'), status);
    const { stdout } = await run('status');
    expect(stdout).toMatch(/^Not installed\.\nBridge: online since 2026-01-(08|09) \d\d:\d\d:00\n/);
    expect(stdout).toContain('site: /srv/site');
    writeStatus(join(home, 'state'), { ...status, pid: 2 ** 22 + 1 });
    expect((await run('status')).stdout).toContain('No bridge is running');
  });
});
