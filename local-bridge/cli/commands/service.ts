import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { pairedMachine } from '../../agent/pairing/machine-file.ts';
import { rootsFrom } from '../../agent/policy/roots.ts';
import { bridgeSettings } from '../../agent/policy/settings.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { bowlineHome } from '../../lib/home.ts';
import { localTime } from '../../lib/local-time.ts';
import { detail, done, printJson } from '../../lib/print.ts';
import { BOWLINE, LEAN } from '../../lib/project.ts';
import { serviceManager } from '../service/manager.ts';
import { readStatus } from '../service/status-file.ts';
import type { ServiceSpec } from '../service/units.ts';
import { collect } from './collect.ts';

export function addServiceCommand(program: Command): void {
  const service = program
    .command('service')
    .description('keep this machine connected whenever you are logged in, as a service (launchd or systemd)');
  service
    .command('install')
    .description('install and start it')
    .option('--root <folder>', 'a folder to open, as for `bowline connect`; repeat it for more', collect, [])
    .option('--print', 'print what would be installed, and install nothing')
    .addHelpText('after', '\nExample:\n  bowline service install --root ~/projects')
    .action(install);
  service.command('uninstall').description('stop it, and remove it').action(uninstall);
  service
    .command('status')
    .description('show whether it is installed, running and connected')
    .option('--json', 'print it as JSON')
    .action(status);
}

function install({ root, print }: { root: string[]; print?: boolean }): void {
  const manager = serviceManager();
  const home = bowlineHome();
  // Check now, because otherwise a service that cannot start fails unseen at the next log-in.
  const roots = rootsFrom(root, bridgeSettings(home));
  const unit = manager.unit(specFor(home, root.length > 0 ? roots : []));
  if (print) return void process.stdout.write(unit);
  const machine = pairedMachine(home);
  if (!machine) {
    throw new CliError('This machine is not paired yet.', 'Run `bowline pair <url>` first.', EXIT.usage);
  }
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
  mkdirSync(dirname(manager.file), { recursive: true });
  writeFileSync(manager.file, unit, { mode: 0o644 });
  manager.start();
  done(`Installed ${manager.file}.`);
  detail('Serves', machine.gateway);
  for (const { name, path } of roots) detail('Opens', `${name} (${path})`);
  detail('Log', join(home, 'logs', 'bridge.log'));
}

function uninstall(): void {
  const manager = serviceManager();
  if (!existsSync(manager.file)) throw new CliError('The service is not installed.');
  manager.stop();
  rmSync(manager.file);
  done(`Removed ${manager.file}.`);
}

function status({ json }: { json?: boolean }): void {
  const manager = serviceManager();
  const installed = existsSync(manager.file);
  const running = installed && manager.isRunning();
  const bridge = readStatus(bowlineHome());
  if (json) {
    printJson({ installed, running, bridge: bridge ?? null });
    return;
  }
  console.log(installed ? `Installed: ${manager.file}` : 'Not installed.');
  if (installed) console.log(running ? 'Running.' : 'Not running.');
  if (!bridge) {
    console.log('No bridge is running with this home.');
    return;
  }
  console.log(`Bridge: ${bridge.state} since ${localTime(bridge.since)}`);
  detail('Machine', `${bridge.machine} at ${bridge.gateway} (process ${bridge.pid})`);
  for (const { name, path } of bridge.roots) detail(name, path);
}

function specFor(home: string, roots: readonly { name: string; path: string }[]): ServiceSpec {
  return {
    command: [
      process.execPath,
      ...LEAN,
      BOWLINE,
      'connect',
      ...roots.flatMap(({ name, path }) => ['--root', `${name}=${path}`]),
    ],
    home,
    logFile: join(home, 'logs', 'bridge.log'),
    path: process.env.PATH ?? '/usr/bin:/bin',
  };
}
