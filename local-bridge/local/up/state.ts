import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../../src/core/error-text.ts';
import { CliError } from '../../lib/exit.ts';
import { isRunning, takeLock } from '../../lib/lock.ts';
import { signalGroup } from '../../lib/processes.ts';
import { upLock } from '../../lib/running-up.ts';

/** The rights of the group and of everybody else on a file. */
const OTHERS = 0o077;

/** The names of the files that Bowline keeps in a state folder. */
const OURS: ReadonlySet<string> = new Set([
  ...[
    'backups',
    'databases.json',
    'gateway',
    'gateway.capnp',
    'gateway.env',
    'logs',
    'machine',
    'memory-key',
    'owner-key',
    'up.lock',
    'worker',
  ],
]);

/** Each is a tenth of a second. */
const ATTEMPTS = 50;

/** A folder in which one `bowline up` at a time keeps everything. */
interface StateFolder {
  readonly path: string;
  /** Tells which process writes to the folder. The folder is taken as long as that one runs. */
  writes(pid: number): void;
  /** Frees the folder for the next one. */
  release(): void;
}

/** Takes the state folder, and makes it if needed. Otherwise says what stands in the way. */
export function takeStateFolder(path: string, url: string): StateFolder {
  makeFolder(path);
  const taken = takeUpLock(path, url);
  if ('lock' in taken) return { path, writes: taken.lock.helper, release: taken.lock.release };
  const { held } = taken;
  const where = typeof held.url === 'string' ? `, ${held.url}` : '';
  throw new CliError(
    `Bowline is already running with the state in ${path} (process ${held.pid}${where}).`,
    'Use that one, stop it with Ctrl-C where it runs, or name another folder with --state.',
  );
}

/** Takes the lock. If its holder is gone and the gateway that it started still runs, ends that one first. */
function takeUpLock(path: string, url: string) {
  try {
    const lock = upLock(path);
    for (let attempt = 1; ; attempt++) {
      const taken = takeLock(lock, { url });
      if ('lock' in taken || isRunning(taken.held) || attempt === ATTEMPTS) return taken;
      // Its process may be gone, and its number another program's.
      if (taken.held.helper && isRunning(taken.held.helper)) endOrphan(taken.held.helper.pid);
    }
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function endOrphan(pid: number): void {
  signalGroup(pid, 'SIGKILL');
  // The system needs a moment to end it. Until then nothing else may open the databases.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    closeToOthers(path);
    // Wrangler's runtime once kept the address of every request here, with the codes and tokens in it.
    rmSync(join(path, 'gateway', 'v3', 'observability'), { recursive: true, force: true });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Closes the folder, and all in it, to other users of this computer, if they had any access. */
function closeToOthers(path: string): void {
  const { mode, uid } = statSync(path);
  if (process.getuid && uid !== process.getuid()) throw new Error('it belongs to another user');
  if ((mode & OTHERS) === 0 || process.platform === 'win32') return;
  const names = readdirSync(path);
  // This is somebody's project or home folder, where closing everything would take away more than Bowline put there.
  if (!names.includes('owner-key') && !names.every((name) => OURS.has(name))) {
    throw new Error('other users may enter it, and it holds more than Bowline’s own files');
  }
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    // A link has no rights of its own, and its target is not ours to change.
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
    else if (entry.isFile()) closeFile(join(entry.parentPath, entry.name));
  }
}

/** Removes others' rights. Its user's own rights stay as they are. */
function closeFile(path: string): void {
  chmodSync(path, statSync(path).mode & 0o700);
}

function cannotWrite(path: string, error: unknown): CliError {
  const why = errorText(error);
  return new CliError(
    `The state folder ${path} cannot be used: ${why}.`,
    'Name another with --state, or fix its permissions.',
  );
}
