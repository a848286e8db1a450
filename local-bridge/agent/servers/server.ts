import { setTimeout as wait } from 'node:timers/promises';
import { errorText } from '../../../src/core/error-text.ts';
import { cleaned } from '../../../src/core/visible.ts';
import { type Conformity, conformAll } from '../../../src/joined/conform.ts';
import { openServerSession, type ServerSession } from '../../../src/joined/session.ts';
import type { Keepers } from './keepers.ts';
import type { ServerEntry } from './settings.ts';
import { ProgramTransport } from './transport.ts';

/** The state of a server. */
export interface Standing {
  readonly name: string;
  readonly is: 'starting' | 'up' | 'down' | 'closed';
  /** The last problem. */
  readonly problem: string | null;
  /** The number of times that it was started again. */
  readonly restarts: number;
  /** Its list as last read. It stays while the server is away. */
  readonly conformity: Conformity;
}

/** One server that this machine starts and keeps running. */
export interface KeptServer {
  standing(): Standing;
  /** Runs one of its tools. Throws if the server does not answer. */
  call(tool: string, args: unknown, signal: AbortSignal): Promise<unknown>;
  /** Resolves once it has listed its tools, or failed to answer. */
  readonly settled: Promise<void>;
  close(): Promise<void>;
}

interface ServerPorts {
  readonly keepers: Keepers;
  /** Hears that its list changed. */
  changed(): void;
  readonly backoff?: Backoff;
}

/** The pauses before new starts of a server that ends by itself. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** A server that ran this long counts as healthy. */
  readonly stableMs: number;
}

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000, stableMs: 30_000 };
/** The pause after a change before the list is read again, so that a list that keeps changing does not keep us busy. */
const RELIST_MS = 1_000;

/** Starts a server and keeps it running, with longer and longer pauses if it does not stay. */
export function keepServer(name: string, entry: ServerEntry, ports: ServerPorts): KeptServer {
  const { keepers, changed, backoff = BACKOFF } = ports;
  const over = new AbortController();
  const settled = Promise.withResolvers<void>();
  let conformity: Conformity = { tools: [], leftOut: [] };
  let is: Standing['is'] = 'starting';
  let problem: string | null = null;
  let restarts = 0;
  let session: ServerSession | undefined;

  const read = async (from: ServerSession): Promise<void> => {
    const next = conformAll(name, await from.list(), entry.allow);
    const isOther = hashesOf(next) !== hashesOf(conformity);
    conformity = next;
    if (isOther) changed();
  };
  let relisting = false;
  const reread = async (from: ServerSession): Promise<void> => {
    if (relisting) return;
    relisting = true;
    try {
      await wait(RELIST_MS, undefined, { ref: false, signal: over.signal });
      relisting = false;
      await read(from);
    } catch (error) {
      relisting = false;
      if (!over.signal.aborted) problem = shortReason(error);
    }
  };

  const runOnce = async (): Promise<void> => {
    const { keeper, env } = keepers.keep(entry.env);
    const { command, args, cwd } = entry;
    const transport = new ProgramTransport({ command, args, env, cwd }, keeper);
    const ended = Promise.withResolvers<void>();
    let failure: string | undefined;
    try {
      const current = await openServerSession(transport, {
        signal: over.signal,
        closed: () => ended.resolve(),
        listChanged: () => void reread(current),
      });
      session = current;
      await read(current);
      is = 'up';
      problem = null;
      settled.resolve();
      await ended.promise;
      failure = 'It ended by itself.';
    } catch (error) {
      failure = shortReason(error);
    } finally {
      session = undefined;
      await transport.close();
    }
    if (over.signal.aborted) return;
    is = 'down';
    const complaint = cleaned(transport.complaint, 300);
    problem = complaint ? `${failure} It last wrote: ${complaint}` : failure;
    settled.resolve();
  };

  const running = (async () => {
    let pause = backoff.firstMs;
    while (!over.signal.aborted) {
      const began = performance.now();
      await runOnce();
      if (over.signal.aborted) break;
      if (performance.now() - began >= backoff.stableMs) pause = backoff.firstMs;
      // Spread the starts, if several servers failed for the same reason.
      const jittered = pause * (0.5 + Math.random() / 2);
      await wait(jittered, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
      pause = Math.min(pause * 2, backoff.longestMs);
      restarts += 1;
    }
  })();

  return {
    standing: () => ({ name, is, problem, restarts, conformity }),
    call: (tool, args, signal) => {
      if (!session || is !== 'up') throw new Error(problem ?? 'It is still starting.');
      return session.call(tool, args, { signal });
    },
    settled: settled.promise,
    close: async () => {
      is = 'closed';
      over.abort();
      const current = session;
      await current?.close().catch(() => undefined);
      await running;
      settled.resolve();
    },
  };
}

function hashesOf({ tools, leftOut }: Conformity): string {
  return JSON.stringify([tools.map(({ hash }) => hash), leftOut]);
}

/** Says what went wrong with a server, which may have chosen the words: cleaned and short. */
export function shortReason(error: unknown): string {
  return cleaned(errorText(error), 300);
}
