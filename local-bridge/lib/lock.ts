import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  const held = oneAtATime(`${path}.guard`, () => {
    const before = readLock(readIfThere(path));
    if (before && (isRunning(before) || isRunning(before.helper))) return before;
    writePrivate(path, JSON.stringify(mine));
    return undefined;
  });
  if (held) return { held };
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

/** How long to wait for another program that looks at the same lock. It takes a moment. */
const WAIT_MS = 10_000;

/**
 * Does something while no other process does the same, so that of several that find a stale lock one takes it. The
 * system's own lock on a database file serves for that: it ends with its process, however that ends.
 */
function oneAtATime<T>(guard: string, act: () => T): T {
  mkdirSync(dirname(guard), { recursive: true, mode: 0o700 });
  // SQLite would make the file with a mode that lets others read it.
  closeSync(openSync(guard, 'a', 0o600));
  const database = new DatabaseSync(guard, { timeout: WAIT_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return act();
  } finally {
    database.close();
  }
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
