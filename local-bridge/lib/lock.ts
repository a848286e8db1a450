import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { jsonOrNothing, readIfThere, writePrivate } from './private-file.ts';
import { isAlive } from './processes.ts';

/** A process and its start, because the system uses process numbers again. */
const holderShape = z.object({ pid: z.int(), started: z.string().nullish() });
const lockShape = z.looseObject({ ...holderShape.shape, helper: holderShape.optional() });

/** The holder of a lock, as the file names it. */
export type Held = z.infer<typeof lockShape>;

/** A lock that one program at a time holds, with the helper that works for it. */
interface Lock {
  /** Shares the lock with the helper's process: it holds the lock as long as it runs, even if this process ends. */
  helper(pid: number): void;
  release(): void;
}

/** Takes a lock, or gives its holder. */
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

/** The wait for another program that looks at the same lock, which takes a moment. */
const WAIT_MS = 10_000;

/**
 * Acts while no other process does the same, so that only one of several takes a stale lock. It uses the system's own
 * lock on a database file, which ends with its process, however that ends.
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

/** Gives who holds a lock now, without taking it. */
export function holderOf(path: string): Held | undefined {
  const held = readLock(readIfThere(path));
  return held && (isRunning(held) || isRunning(held.helper)) ? held : undefined;
}

let own: { pid: number; started: string | null } | undefined;

/** Names this process, for what must be told later from another process under its number. */
export function thisProcess(): { pid: number; started: string | null } {
  own ??= processNow(process.pid);
  return own;
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
    // This system does not tell, so only the number can be checked.
    return null;
  }
}

/** Reads a lock. Gives nothing for one that was cut off as it was written. */
function readLock(text: string | undefined): Held | undefined {
  return lockShape.safeParse(jsonOrNothing(text ?? '')).data;
}
