import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorText } from '../../../src/core/error-text.ts';
import { VERSION } from '../../../src/core/version.ts';
import { visible } from '../../../src/core/visible.ts';
import { pairedMachine } from '../../agent/pairing/machine-file.ts';
import { bridgeSettings } from '../../agent/policy/settings.ts';
import { localTime } from '../../lib/local-time.ts';
import { mlxSettings } from '../../tools/mlx/settings.ts';
import { terminalSettings } from '../../tools/terminal/read-settings.ts';
import type { TerminalSettings } from '../../tools/terminal/settings.ts';
import { openTerminal, type TerminalStatus } from '../../tools/terminal/terminal.ts';
import { readStatus } from '../service/status-file.ts';
import { type Finding, failed, ok, type Section, warning } from './finding.ts';
import { checkMlx } from './here-mlx.ts';

const MIB = 1024 * 1024;
/** The free space that the journal and the undo history need. With less, calls that change something are refused. */
export const MIN_FREE_BYTES = 100 * MIB;
export const LOW_FREE_BYTES = 1024 * MIB;

/** The checks' view of this computer. Tests replace it. */
export interface HerePorts {
  readonly home: string;
  freeBytes(folder: string): number;
  /** Opens a terminal as the bridge would, tests its sandbox, and gives its status. */
  terminalStatus(settings: TerminalSettings): Promise<TerminalStatus>;
}

export function herePorts(home: string): HerePorts {
  return {
    home,
    freeBytes: (folder) => {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
    terminalStatus: async (settings) => {
      const terminal = await openTerminal({ home, roots: [] }, settings);
      try {
        return terminal.status();
      } finally {
        await terminal.close();
      }
    },
  };
}

/** Checks this computer: its state folder, disk, bridge and sandbox. */
export function hereSection(ports: HerePorts): Section {
  return {
    title: 'This computer',
    async *look() {
      const { home } = ports;
      const folder = checkHome(home);
      yield folder;
      yield checkDisk(ports);
      if (folder.state === 'failed' || !isThere(home)) return;
      const settings = readSettings(home);
      yield settings.finding;
      yield* bridgeFindings(home);
      const missing = checkRoots(home, settings.roots);
      if (missing) yield missing;
      if (!settings.terminal) return;
      yield await checkSandbox(ports, settings.terminal);
      const mlx = await checkMlx(settings.mlx, home);
      if (mlx) yield mlx;
    },
  };
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The files that only their owner may read. */
const SECRET = /^(?:credentials\.json|machine-key|machine\.json|owner-key|memory-key|gateway\.env)/;

function checkHome(home: string): Finding {
  const check = 'state folder';
  const stat = lstatSync(home, { throwIfNoEntry: false });
  if (!stat) return ok(check, `${home} is not there yet`);
  if (!stat.isDirectory()) {
    return failed(check, `${home} is not a folder.`, 'Move it away, or point BOWLINE_HOME elsewhere.');
  }
  if (process.platform === 'win32') return ok(check, home);
  if (process.getuid && process.getuid() !== 0 && stat.uid !== process.getuid()) {
    return failed(
      check,
      `${home} belongs to another user, probably since something ran with sudo.`,
      `Run \`sudo chown -R $(whoami) ${home}\`, and Bowline without sudo.`,
    );
  }
  const open = [
    ...(stat.mode & 0o022 ? ['.'] : []),
    ...readdirSync(home).filter((name) => SECRET.test(name) && lstatSync(join(home, name)).mode & 0o077),
  ];
  if (open.length === 0) return ok(check, home);
  const what = open.map((name) => (name === '.' ? home : visible(name, 60))).join(', ');
  return failed(
    check,
    `Other users of this computer can open ${what}.`,
    `Run \`chmod -R go-rwx ${home}\`. If others use this computer, make new tokens and pair again.`,
  );
}

function checkDisk({ home, freeBytes }: HerePorts): Finding {
  const check = 'disk space';
  let folder = home;
  while (!isThere(folder)) folder = dirname(folder);
  const free = freeBytes(folder);
  const size =
    free >= 10 * 1024 * MIB ? `${Math.floor(free / 1024 / MIB)} GB` : `${Math.floor(free / MIB)} MB`;
  if (free < MIN_FREE_BYTES) {
    return failed(
      check,
      `Only ${size} are free where ${home} is. A bridge without space refuses every call that changes something.`,
      'Free some space, then start the bridge again.',
    );
  }
  if (free < LOW_FREE_BYTES)
    return warning(check, `Only ${size} are free where ${home} is.`, 'Free some soon.');
  return ok(check, `${size} free`);
}

interface ReadSettings {
  readonly finding: Finding;
  readonly roots?: readonly string[];
  readonly terminal?: TerminalSettings;
  readonly mlx?: unknown;
}

function readSettings(home: string): ReadSettings {
  const check = 'settings';
  try {
    const settings = bridgeSettings(home);
    mlxSettings(settings.mlx);
    return {
      finding: ok(check, 'bridge.json is valid'),
      roots: (settings.roots ?? []).map(({ path }) => path),
      terminal: terminalSettings(settings.terminal),
      mlx: settings.mlx,
    };
  } catch (error) {
    const why = errorText(error);
    return { finding: failed(check, visible(why, 300), 'Fix bridge.json. No bridge starts until then.') };
  }
}

/** Finds open folders that are gone, in the settings and in the bridge that runs. */
function checkRoots(home: string, listed: readonly string[] = []): Finding | undefined {
  const opened = readStatus(home)?.roots.map(({ path }) => path) ?? [];
  const paths = [...new Set([...opened, ...listed])];
  if (paths.length === 0) return undefined;
  const gone = paths.filter((path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory());
  if (gone.length === 0) return ok('open folders', `${paths.length === 1 ? 'it is' : 'all are'} there`);
  return failed(
    'open folders',
    `No folder is at ${gone.map((path) => visible(path, 200)).join(', ')}, which ${gone.length === 1 ? 'is' : 'are'} open to tools.`,
    'Put it back, or open another: change `roots` in bridge.json or give --root, then start the bridge again.',
  );
}

function* bridgeFindings(home: string): Generator<Finding> {
  const check = 'bridge';
  const machine = pairedMachine(home);
  const status = readStatus(home);
  if (!machine) return;
  if (!status) {
    yield failed(
      check,
      `This computer is paired as ${machine.name}, but no bridge runs here.`,
      'Start it with `bowline service install`, or by hand with `bowline connect`.',
    );
    return;
  }
  if (status.state === 'frozen') {
    yield failed(
      check,
      `The bridge (process ${status.pid}) is there, but has done nothing since ${localTime(status.since)}.`,
      `Is it suspended? \`kill -CONT ${status.pid}\` lets it go on. Otherwise end it with \`kill -9 ${status.pid}\`; a service starts again by itself, and \`bowline connect\` starts one by hand.`,
    );
    return;
  }
  yield status.state === 'online'
    ? ok(check, `online as ${status.machine}`)
    : failed(
        check,
        `The bridge is ${visible(status.state, 40)} since ${localTime(status.since)}.`,
        `Can this computer reach ${status.gateway}? \`bowline service status\` names the log, which says more.`,
      );
  if (status.version !== VERSION) {
    yield warning(
      'bridge version',
      `The running bridge is version ${visible(status.version, 40)}, but version ${VERSION} is installed.`,
      'Start the bridge again: `bowline service install`.',
    );
  }
}

async function checkSandbox({ terminalStatus }: HerePorts, settings: TerminalSettings): Promise<Finding> {
  const check = 'terminal sandbox';
  if (settings.enabled === false) return ok(check, 'a setting turns the terminal off');
  const { on, reason, sandboxed, unsandboxedBecause, confinement, canaries } = await terminalStatus(settings);
  if (!on) {
    return failed(
      check,
      `The terminal is off: ${visible(reason ?? 'no reason is given', 300)}`,
      canaries
        ? 'The sandbox allowed something that it must prevent. Update the system and Bowline. Until then no command runs.'
        : 'Install what the reason names, or set `terminal.sandbox` to `auto` in bridge.json.',
    );
  }
  if (sandboxed) return ok(check, `${confinement} holds`);
  if (settings.sandbox === 'off') {
    return warning(
      check,
      'A setting turns the sandbox off, so approved commands can do everything that you can.',
      'Remove `terminal.sandbox` from bridge.json, then start the bridge again.',
    );
  }
  return warning(
    check,
    `Commands run without a sandbox (${confinement}): ${visible(unsandboxedBecause ?? '', 300)}`,
    'On Linux, install bubblewrap and socat, then start the bridge again. A Mac needs nothing.',
  );
}
