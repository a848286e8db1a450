import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { isAlive } from '../../lib/processes.ts';
import { writeNew } from './disk.ts';

/** Takes a folder for this process alone, or says who has it. Gives a function that releases it. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) });
  for (let attempt = 0; attempt < 3; attempt++) {
    if (writeNew(path, mine)) return () => release(path, mine);
    const held = read(path);
    if (held !== undefined && isHeld(held)) break;
    // Move it away first: if two processes find the same stale lock, only one can move it.
    const stale = `${path}.${process.pid}`;
    try {
      renameSync(path, stale);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    rmSync(stale, { force: true });
  }
  throw new CliError(
    `Another bowline already connects this machine with the journal in ${folder}.`,
    'Stop that one first (`bowline service status` says whether it is the service).',
  );
}

function release(path: string, mine: string): void {
  if (read(path) === mine) rmSync(path, { force: true });
}

/** Tells whether the process that wrote a lock still runs. The system reuses process ids. */
function isHeld(text: string): boolean {
  let held: unknown;
  try {
    held = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof held !== 'object' || held === null || !('pid' in held) || typeof held.pid !== 'number')
    return false;
  if (!isAlive(held.pid)) return false;
  const started = startOf(held.pid);
  return !('started' in held) || held.started === null || started === null || held.started === started;
}

function startOf(pid: number): string | null {
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, LC_ALL: 'C' },
      }).trim() || null
    );
  } catch {
    // There is no `ps` here, so only the id can be checked.
    return null;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
