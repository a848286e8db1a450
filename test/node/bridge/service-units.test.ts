import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchdPlist, type ServiceSpec, systemdUnit } from '../../../local-bridge/cli/service/units.ts';
import { readPlist } from '../../support/plist.ts';

const plain: ServiceSpec = {
  command: [process.execPath, '/opt/bowline/bin.mjs', 'connect', '--root', 'site=/home/me/site'],
  home: '/home/me/.bowline',
  logFile: '/home/me/.bowline/logs/bridge.log',
  path: '/usr/local/bin:/usr/bin',
};
/** Names that are fine on a disk and mean something to whoever reads the unit. */
const odd = ['a b"c\'d\\e%h%n$HOME;&<g>]]>', '{x}`é #'].join('$');
const awkward: ServiceSpec = {
  command: [process.execPath, `/opt/${odd}/bin.mjs`, 'connect', '--root', `site=/home/${odd}`],
  home: `/home/${odd}`,
  logFile: `/home/${odd}/bridge.log`,
  path: `/home/${odd}:/usr/bin`,
};

describe('the launchd agent', () => {
  it.each([
    ['plain names', plain],
    ['awkward names', awkward],
  ])('reads back as what was meant, with %s', (_, spec) => {
    expect(readPlist(launchdPlist(spec))).toEqual({
      Label: 'dev.bowline.bridge',
      ProgramArguments: spec.command,
      EnvironmentVariables: { BOWLINE_HOME: spec.home, PATH: spec.path, NO_COLOR: '1' },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 30,
      Umask: 0o77,
      ProcessType: 'Background',
      StandardOutPath: spec.logFile,
      StandardErrorPath: spec.logFile,
    });
  });
});

describe('the systemd unit', () => {
  const settingIn = (unit: string, key: string) =>
    unit
      .split('\n')
      .find((line) => line.startsWith(`${key}=`))
      ?.slice(key.length + 1) ?? '';

  it.each([
    ['plain names', plain],
    ['awkward names', awkward],
  ])('reads back as what was meant, with %s', (_, spec) => {
    const unit = systemdUnit(spec);
    expect(words(settingIn(unit, 'ExecStart')).map((word) => undoubled(word, '$'))).toEqual(spec.command);
    expect(words(settingIn(unit, 'Environment'))).toEqual([
      `BOWLINE_HOME=${spec.home}`,
      `PATH=${spec.path}`,
      'NO_COLOR=1',
    ]);
    expect(undoubled(settingIn(unit, 'StandardError'), '%')).toBe(`append:${spec.logFile}`);
  });

  it('starts again after a failure, but not after what would only fail again', () => {
    const unit = systemdUnit(plain);
    expect(settingIn(unit, 'Restart')).toBe('always');
    expect(Number(settingIn(unit, 'RestartSec'))).toBeGreaterThanOrEqual(5);
    expect(settingIn(unit, 'RestartPreventExitStatus')).toBe('2 3 4');
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!hasSystemd).each([
    ['plain names', plain],
    ['awkward names', awkward],
  ])('is one that systemd takes without a word, with %s', (_, spec) => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-unit-'));
    const file = join(folder, 'bowline.service');
    writeFileSync(file, systemdUnit(spec));
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['--user', 'verify', file], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    rmSync(folder, { recursive: true });
    expect([status, stderr + stdout]).toEqual([0, '']);
  });
});

describe('neither unit', () => {
  it.each([launchdPlist, systemdUnit])('can be given a line of its own by a name', (unit) => {
    for (const spec of [
      { ...plain, home: '/home/me\nExecStartPre=/bin/evil' },
      { ...plain, logFile: '/log\n[Service]' },
      { ...plain, command: ['/node\u0000', 'x'] },
      { ...plain, path: '/bin\r' },
    ]) {
      expect(() => unit(spec)).toThrow('control character');
    }
  });
});

/** Words as systemd splits them: quotes and escapes undone, and specifiers of a percent sign. */
function words(line: string): string[] {
  const found = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)];
  return found.map(([, quoted, bare]) => undoubled(quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '', '%'));
}

/** A sign that is written twice to stand for itself; written once, it would be replaced by something else. */
function undoubled(text: string, sign: string): string {
  const rest = text.replaceAll(sign + sign, '');
  if (rest.includes(sign)) throw new Error(`A single ${sign} in ${text}`);
  return text.replaceAll(sign + sign, () => sign);
}
