import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { LAUNCHD_LABEL, launchdPlist, type ServiceSpec, SYSTEMD_UNIT, systemdUnit } from './units.ts';

/** The program that keeps a user's services running on this system. */
interface ServiceManager {
  /** The path of its file for the bridge. */
  readonly file: string;
  unit(spec: ServiceSpec): string;
  start(): void;
  stop(): void;
  isRunning(): boolean;
}

export function serviceManager(platform: NodeJS.Platform = process.platform): ServiceManager {
  if (platform === 'darwin') return launchd();
  if (platform === 'linux') return systemd();
  throw new CliError(
    `Bowline knows no service manager on ${platform}.`,
    'Make your system start `bowline connect` at log-in.',
  );
}

function systemd(): ServiceManager {
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return {
    file: join(config, 'systemd', 'user', SYSTEMD_UNIT),
    unit: systemdUnit,
    start() {
      run('systemctl', '--user', 'daemon-reload');
      run('systemctl', '--user', 'enable', SYSTEMD_UNIT);
      // A running bridge must read what was just written.
      run('systemctl', '--user', 'restart', SYSTEMD_UNIT);
    },
    stop: () => run('systemctl', '--user', 'disable', '--now', SYSTEMD_UNIT),
    isRunning: () => answers('systemctl', '--user', 'is-active', '--quiet', SYSTEMD_UNIT),
  };
}

function launchd(): ServiceManager {
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const file = join(homedir(), 'Library', 'LaunchAgents', `${LAUNCHD_LABEL}.plist`);
  return {
    file,
    unit: launchdPlist,
    start() {
      // A loaded service keeps the settings it was loaded with.
      answers('launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`);
      run('launchctl', 'bootstrap', domain, file);
    },
    stop: () => run('launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`),
    isRunning: () => answers('launchctl', 'print', `${domain}/${LAUNCHD_LABEL}`),
  };
}

function answers(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  const why = error ? error.message : stderr.trim() || `it ended with ${status}`;
  throw new CliError(
    `${program} ${args.join(' ')} failed: ${why}`,
    'See what would be installed with `bowline service install --print`.',
  );
}
