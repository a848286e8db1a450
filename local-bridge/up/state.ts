import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CliError } from '../exit.ts';
import { isAlive } from './processes.ts';

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
  } catch (error) {
    throw cannotWrite(path, error);
  }
  if (!statSync(path).isDirectory()) throw cannotWrite(path, new Error('it is not a folder'));
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
  const why = error instanceof Error ? error.message : String(error);
  return new CliError(
    `The state folder ${path} cannot be used: ${why}.`,
    'Name another with --state, or mend its permissions.',
  );
}
