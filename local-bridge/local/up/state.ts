import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { CliError } from '../../lib/exit.ts';
import { isAlive } from '../../lib/processes.ts';

/** What the group and everybody else may do with a file. */
const OTHERS = 0o077;

/** What Bowline keeps in a state folder. */
const OURS: ReadonlySet<string> = new Set([
  ...['gateway', 'gateway.env', 'logs', 'machine', 'memory-key', 'owner-key', 'up.lock', 'worker'],
]);

const lockShape = z.object({ pid: z.int(), url: z.string() });

/** A folder that one `bowline up` at a time keeps everything in. */
export interface StateFolder {
  readonly path: string;
  /** Gives the folder to the next one. */
  release(): void;
}

/** Takes the state folder, making it if need be, or says what stands in the way. */
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
    // `wx` after the check above: of two starting at once, one loses here.
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

/** Takes the folder and all in it away from other users of this computer, if they had any part of it. */
function closeToOthers(path: string): void {
  const { mode, uid } = statSync(path);
  if (process.getuid && uid !== process.getuid()) throw new Error('it belongs to another user');
  if ((mode & OTHERS) === 0 || process.platform === 'win32') return;
  const names = readdirSync(path);
  // Somebody's project or home folder: closing all of it would take more away than Bowline put there.
  if (!names.includes('owner-key') && !names.every((name) => OURS.has(name))) {
    throw new Error('other users may enter it, and it holds more than Bowline’s own files');
  }
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    // A link has no rights of its own, and what it leads to is not ours to change.
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
    else if (entry.isFile()) closeFile(join(entry.parentPath, entry.name));
  }
}

/** What its user may do with it stays as it is. */
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
