import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { jsonOrNothing, readIfThere, writePrivate } from './private-file.ts';
import { isAlive } from './processes.ts';

/** A process, and when it started: the system uses its number again. */
const holderShape = z.object({ pid: z.int(), started: z.string().nullish() });
const lockShape = z.looseObject({ ...holderShape.shape, helper: holderShape.optional() });

/** What a lock says of whoever has it. */
export type Held = z.infer<typeof lockShape>;

/** A file that one program at a time has, with the helper that works for it. */
interface Lock {
  /** The helper's process has the lock too, as long as it runs, whatever becomes of this one. */
  helper(pid: number): void;
  release(): void;
}

const ATTEMPTS = 5;

/** Takes a lock, or gives what it says of its holder. */
export function takeLock(
  path: string,
  about: object = {},
): { readonly lock: Lock } | { readonly held: Held } {
  const mine = { ...about, ...processNow(process.pid) };
  const isMine = (text: string | undefined) => {
    const held = readLock(text);
    return held?.pid === mine.pid && held.started === mine.started;
  };
  for (let attempt = 1; ; attempt++) {
    if (writeNew(path, JSON.stringify(mine))) break;
    const text = readIfThere(path);
    if (text === undefined) continue;
    const held = readLock(text);
    if (held && (attempt === ATTEMPTS || isRunning(held) || isRunning(held.helper))) return { held };
    moveAway(path, text);
  }
  return {
    lock: {
      helper: (pid) => {
        if (isMine(readIfThere(path)))
          writePrivate(path, JSON.stringify({ ...mine, helper: processNow(pid) }));
      },
      release: () => {
        if (isMine(readIfThere(path))) rmSync(path, { force: true });
      },
    },
  };
}

/** Removes a lock that nobody has. If somebody else took it meanwhile, puts theirs back. */
function moveAway(path: string, stale: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  const moved = readIfThere(aside);
  if (moved !== undefined && moved !== stale) writeNew(path, moved);
  rmSync(aside, { force: true });
}

/** Tells whether this very process still runs, and not another one under its number. */
export function isRunning(
  holder: { readonly pid: number; readonly started?: string | null | undefined } | undefined,
) {
  if (!holder || !isAlive(holder.pid)) return false;
  const { started } = processNow(holder.pid);
  return !holder.started || started === null || holder.started === started;
}

function processNow(pid: number): { pid: number; started: string | null } {
  return { pid, started: startOf(pid) };
}

/** Gives the start of a process in words that stay the same while it runs, even if somebody sets the clock. */
function startOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // The name is in parentheses and may hold anything. The start is the 20th word after it, in ticks since the boot.
      const after = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${after[19]}`;
    }
    const asked = ['-o', 'lstart=', '-p', String(pid)];
    const env = { ...process.env, LC_ALL: 'C' };
    return (
      execFileSync('ps', asked, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env }).trim() || null
    );
  } catch {
    // Nothing here tells, so only the number can be checked.
    return null;
  }
}

/** Reads a lock. Gives nothing for one that was cut off as it was written. */
function readLock(text: string | undefined): Held | undefined {
  return lockShape.safeParse(jsonOrNothing(text ?? '')).data;
}

function writeNew(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
