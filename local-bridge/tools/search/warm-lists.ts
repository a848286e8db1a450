import { setImmediate as breath } from 'node:timers/promises';
import type { Root } from '../workspace/held.ts';
import { isRefusal } from '../workspace/refusal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { liesTooDeep, listFiles } from './list-files.ts';
import { type Moment, momentNow, type WarmList, warmList } from './warm-list.ts';

/** The lists of the open folders. They are made in the background once a search has been slow. */
export interface WarmLists {
  /** Gives a root's list, if there is one and it is current. */
  current(root: Root): WarmList | undefined;
  /** Learns how long a search without a list took. */
  searched(root: Root, ms: number): void;
  /** Resolves once no list is being made. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The duration from which a search counts as slow. Faster ones need no list. */
const SLOW_MS = 40;
/** The pause between two attempts. A tree that changes all the time would make every list useless. */
const PAUSE_MS = 10_000;
const LISTING_MS = 30_000;
const MAX_FILES = 300_000;
/** The number of paths to check before other work runs. */
const AT_ONCE = 5_000;

interface WarmListsPorts {
  readonly workspace: Workspace;
  report(error: unknown): void;
  readonly pauseMs?: number;
  readonly slowMs?: number;
  readonly moment?: () => Moment;
}

export function makeWarmLists({
  workspace,
  report,
  pauseMs = PAUSE_MS,
  slowMs = SLOW_MS,
  moment = momentNow,
}: WarmListsPorts): WarmLists {
  const lists = new Map<string, WarmList>();
  const tried = new Map<string, number>();
  const making = new Map<string, Promise<void>>();
  const closing = new AbortController();

  const make = async (root: Root, coldMs: number): Promise<void> => {
    const list = await makeList(root, workspace, moment(), closing.signal);
    if (!list) return;
    const started = performance.now();
    // Keep the list only if checking it is faster than searching: some trees are many folders with few files.
    if (list.isCurrent() && performance.now() - started < coldMs / 2) lists.set(root.name, list);
  };
  return {
    current: (root) => {
      const list = lists.get(root.name);
      if (!list || list.isCurrent()) return list;
      lists.delete(root.name);
      return undefined;
    },
    searched: (root, ms) => {
      const last = tried.get(root.name);
      const isSoon = last !== undefined && performance.now() - last < pauseMs;
      if (ms < slowMs || isSoon || making.has(root.name) || closing.signal.aborted) return;
      tried.set(root.name, performance.now());
      const made = make(root, ms)
        .catch(report)
        .finally(() => making.delete(root.name));
      making.set(root.name, made);
    },
    settled: async () => {
      await Promise.all(making.values());
    },
    close: async () => {
      closing.abort();
      lists.clear();
      await Promise.all(making.values());
    },
  };
}

async function makeList(
  root: Root,
  workspace: Workspace,
  startedAt: Moment,
  signal: AbortSignal,
): Promise<WarmList | undefined> {
  const folder = workspace.folder(root, '.');
  if (isRefusal(folder)) return undefined;
  const printed: string[] = [];
  try {
    const end = await listFiles({ folder, names: undefined, timeoutMs: LISTING_MS, signal }, (path) => {
      printed.push(path);
      // The list has only the shown files, so it could not tell that others lie deeper.
      return printed.length > MAX_FILES || liesTooDeep(path) ? 'stop' : 'more';
    });
    if (end.how !== 'done' || end.incomplete) return undefined;
  } finally {
    folder.close();
  }
  const open: string[] = [];
  for (let i = 0; i < printed.length; i += AT_ONCE) {
    for (const path of printed.slice(i, i + AT_ONCE))
      if (workspace.isOpen(root, path, 'read')) open.push(path);
    await breath();
  }
  if (signal.aborted) return undefined;
  return await warmList(root.path, open.sort(), startedAt);
}
