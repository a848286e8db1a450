import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '../../lib/exit.ts';
import { GatewayAway } from './gateway.ts';
import { type Pushed, type PushOptions, pushOnce } from './push.ts';
import { type Repo, repoAt } from './repo.ts';

interface WatchOptions extends Omit<PushOptions, 'signal'> {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  pushed?(done: Pushed): void;
  /** The pause after a change, and the time between looks without one. */
  readonly settleMs?: number;
  readonly lookEveryMs?: number;
}

/** A rebase moves the branch many times a second. */
const SETTLE_MS = 200;
/** Some disks report no changes. */
const LOOK_EVERY_MS = 10_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Mirrors the clone's commit, and every later one, until it is told to stop. */
export async function watchRepo(options: WatchOptions): Promise<void> {
  const { root, log, signal, settleMs = SETTLE_MS, lookEveryMs = LOOK_EVERY_MS } = options;
  const repo = await repoAt(root);
  const changes = changesOf(repo, signal);
  let mirrored: string | undefined;
  let failures = 0;
  try {
    while (!signal.aborted) {
      const commit = await commitAt(options);
      if (commit !== undefined && commit !== mirrored) {
        const outcome = await push(options);
        if (outcome !== 'again') mirrored = commit;
        failures = outcome === 'again' ? failures + 1 : 0;
      }
      // Wait a random time up to a bound that doubles, so that many who wait for one gateway do not come at once.
      const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
      await changes.next(failures > 0 ? Math.max(50, Math.random() * longest) : lookEveryMs);
      await pause(settleMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    changes.close();
    if (signal.aborted) log('No longer watching.');
  }
}

/** Gives the clone's commit; `undefined` while it cannot be read, as during some git operations. */
async function commitAt({ root, log }: WatchOptions): Promise<string | undefined> {
  try {
    return (await repoAt(root)).commit;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    log(error.message);
    return undefined;
  }
}

/** Pushes and tells how it went. Only a failure that may pass is tried again. */
async function push(options: WatchOptions): Promise<'done' | 'refused' | 'again'> {
  try {
    options.pushed?.(await pushOnce(options));
    return 'done';
  } catch (error) {
    if (options.signal.aborted) return 'refused';
    if (!(error instanceof CliError)) throw error;
    options.log([error.message, error.suggestion].filter(Boolean).join('\n'));
    return error instanceof GatewayAway ? 'again' : 'refused';
  }
}

interface Changes {
  /** Resolves at a change, now or since the last call, or when the time is up. */
  next(timeoutMs: number): Promise<void>;
  close(): void;
}

/** Tells when a clone's references may have moved, wherever git keeps them. */
function changesOf({ gitDir, commonDir }: Repo, signal: AbortSignal): Changes {
  let isDue = false;
  let wake: () => void = () => undefined;
  const changed = () => {
    isDue = true;
    wake();
  };
  const watchers = [
    // Git replaces `HEAD` and `packed-refs` by renaming, so watch the folders and not the files.
    watched(gitDir, false, changed),
    watched(join(gitDir, 'logs'), false, changed),
    watched(commonDir, false, changed),
    watched(join(commonDir, 'refs', 'heads'), true, changed),
    watched(join(commonDir, 'reftable'), false, changed),
  ];
  return {
    next: async (timeoutMs) => {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (!isDue) await Promise.race([woken, pause(timeoutMs, signal)]);
      isDue = false;
    },
    close: () => {
      for (const watcher of watchers) watcher?.close();
    },
  };
}

function watched(folder: string, recursive: boolean, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { recursive, persistent: false }, changed);
    // Say nothing if a folder goes away: the regular look replaces the watch.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // Not every clone has every folder.
    return undefined;
  }
}

/** Waits, but ends at once when told to stop. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
