import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { CliError } from '../../lib/exit.ts';
import { isAlive } from '../../lib/processes.ts';

/** The rights of the group and of everybody else on a file. */
const OTHERS = 0o077;

/** The names of the files that Bowline keeps in a state folder. */
const OURS: ReadonlySet<string> = new Set([
  ...[
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

const lockShape = z.object({ pid: z.int(), url: z.string() });

/** A folder in which one `bowline up` at a time keeps everything. */
interface StateFolder {
  readonly path: string;
  /** Frees the folder for the next one. */
  release(): void;
}

/** Takes the state folder, and makes it if needed. Otherwise says what stands in the way. */
export function takeStateFolder(path: string, url: string): StateFolder {
  makeFolder(path);
  const lock = join(path, 'up.lock');
  const holder = holderOf(lock);
  if (holder) {
    throw new CliError(
      `Bowline is already running with the state in ${path} (process ${holder.pid}, ${holder.url}).`,
      'Use that one, stop it with Ctrl-C where it runs, or name another folder with --state.',
    );
  }
  try {
    // After the check above, `wx` decides: if two start at once, one fails here.
    rmSync(lock, { force: true });
    writeFileSync(lock, JSON.stringify({ pid: process.pid, url }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw cannotWrite(path, error);
  }
  return { path, release: () => rmSync(lock, { force: true }) };
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

function holderOf(lock: string): z.infer<typeof lockShape> | undefined {
  let text: string;
  try {
    text = readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
  // A lock that a crash left half written, or whose process is gone, holds nothing.
  const parsed = lockShape.safeParse(jsonOrNothing(text));
  return parsed.success && isAlive(parsed.data.pid) ? parsed.data : undefined;
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cannotWrite(path: string, error: unknown): CliError {
  const why = errorText(error);
  return new CliError(
    `The state folder ${path} cannot be used: ${why}.`,
    'Name another with --state, or mend its permissions.',
  );
}
