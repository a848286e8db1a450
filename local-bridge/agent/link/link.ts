import { randomUUID } from 'node:crypto';
import type { AnnouncedServers } from '../../../contracts/link-servers.ts';
import { mlxAsk } from '../../../contracts/mlx.ts';
import { machinePreview } from '../../../contracts/preview.ts';
import type { Sandbox } from '../../../contracts/sandboxes.ts';
import type { Caller } from '../../../src/core/call.ts';
import type { ToolSet } from '../../../src/core/tools.ts';
import { isJoinedName } from '../../../src/joined/names.ts';
import { Backoff } from './backoff.ts';
import { dial, type Refusal } from './dial.ts';
import { folderDisk } from './disk.ts';
import { Journal } from './journal.ts';
import { lockFolder } from './lock.ts';
import { MachineLink } from './machine-link.ts';
import { toolRunner } from './runner.ts';

/** The state of a machine's link, and since when (ms). */
export interface LinkState {
  readonly is: 'connecting' | 'online' | 'offline' | Refusal | 'draining' | 'stopped';
  readonly since: number;
  /** Why it is not online. */
  readonly why?: string;
}

export interface LinkOptions {
  /** The gateway's address, such as `https://bowline.example.workers.dev`. */
  readonly url: string;
  readonly machine: { readonly id: string; readonly name: string };
  /** Signs with the machine's key, in base64url. */
  sign(text: string): Promise<string>;
  readonly tools: ToolSet;
  readonly about: {
    readonly roots: readonly { readonly name: string; readonly path: string }[];
    readonly version: string;
    /** Gives the servers that this machine joined, for each greeting. */
    readonly servers?: () => AnnouncedServers;
    /** Says what keeps commands apart, for each greeting. */
    readonly sandbox?: () => Sandbox;
  };
  /** The journal's folder. Only one process may use it at a time. */
  readonly folder: string;
  /** Adds what this machine knows about the caller. */
  readonly caller?: (caller: Caller) => Caller;
  log(message: string, error?: unknown): void;
  readonly pingMs?: number;
}

/** A machine's connection to its gateway. It connects again by itself whenever it is lost. */
export interface Link {
  readonly state: LinkState;
  onState(heard: (state: LinkState) => void): void;
  /** Takes no new calls, finishes what runs, and stops. After a time it also stops what still runs. */
  drain(maxMs?: number): Promise<void>;
  /** Greets the gateway again, because what it said about this machine has changed. Running calls continue. */
  greetAnew(): void;
  /** Hangs up at once. The outcome of what still runs will be unknown. */
  stop(): void;
}

/** A longer wait is useless, because service managers do not wait longer. */
const DRAIN_MS = 20_000;
const STORE_AGAIN_MS = 1_000;

/** Lists the tools for clients, without those that only the gateway uses. */
function offered(tools: ToolSet): string[] {
  return [...tools.values()]
    .filter(
      ({ contract }) =>
        contract !== mlxAsk && contract !== machinePreview && !isJoinedName(contract.wireName),
    )
    .map(({ contract }) => contract.wireName);
}

/** Connects this machine to its gateway until told to stop. */
export function startLink(options: LinkOptions): Link {
  const { url, machine, tools, log, folder } = options;
  const release = lockFolder(folder);
  const disk = folderDisk(folder);
  const journal = new Journal(disk, randomUUID, machine.id);
  const report = (error: unknown) => log('link', error);
  const runner = toolRunner(tools, {
    machine: machine.id,
    report,
    ...(options.caller ? { caller: options.caller } : {}),
  });
  const link = new MachineLink(journal, runner, report);
  const backoff = new Backoff();
  const { origin } = new URL(url);
  const address = `${origin.replace(/^http/, 'ws')}/link?machine=${encodeURIComponent(machine.id)}`;
  const { roots, version, servers, sandbox } = options.about;
  const about = () => {
    const joined = servers?.() ?? [];
    const base = { roots: [...roots], version, tools: offered(tools) };
    return joined.length > 0 ? { ...base, foreign: joined } : base;
  };
  const greeting = () => ({
    machine: machine.id,
    origin,
    journal: journal.id,
    epoch: journal.epoch,
    moved: journal.isMoved,
    about: about(),
    sandbox: sandbox?.(),
    sign: options.sign,
  });

  let state: LinkState = { is: 'connecting', since: Date.now() };
  const listeners = new Set<(state: LinkState) => void>();
  const become = (is: LinkState['is'], why?: string) => {
    state = { is, since: Date.now(), ...(why ? { why } : {}) };
    for (const heard of listeners) heard(state);
  };
  let hangUp: () => void = () => undefined;
  let retry: NodeJS.Timeout | undefined;
  const isOver = () => state.is === 'stopped';
  let isDraining = false;

  const connect = () => {
    let upAt: number | undefined;
    hangUp = dial(
      address,
      greeting(),
      {
        up: (socket, epoch) => {
          upAt = performance.now();
          link.attach(socket, epoch);
          become(isDraining ? 'draining' : 'online');
        },
        message: (socket, data) => {
          try {
            return link.message(socket, data);
          } catch (error) {
            // The disk may have failed, for instance. The next connection finds everything as it was stored.
            report(error);
            return false;
          }
        },
        down: (why, refusal) => {
          link.detach();
          if (isOver()) return;
          const wait =
            upAt === undefined ? backoff.afterFailure() : backoff.afterLoss(performance.now() - upAt);
          become(refusal ?? 'offline', why);
          retry = setTimeout(connect, refusal ? 30_000 : wait);
        },
      },
      options.pingMs,
    );
  };
  const stop = () => {
    if (isOver()) return;
    become('stopped');
    clearTimeout(retry);
    clearInterval(storing);
    hangUp();
    disk.close();
    release();
  };
  // A full disk may have room again.
  const storing = setInterval(() => link.store(), STORE_AGAIN_MS);
  connect();
  return {
    get state() {
      return state;
    },
    onState: (heard) => listeners.add(heard),
    greetAnew: () => {
      if (state.is === 'online') hangUp();
    },
    stop,
    drain: async (maxMs = DRAIN_MS) => {
      if (isOver()) return;
      isDraining = true;
      become('draining');
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, maxMs);
      link.drain(resolve);
      await idle;
      clearTimeout(limit);
      // Give the last result a moment to leave before the socket closes behind it.
      await new Promise((done) => setTimeout(done, 50));
      stop();
    },
  };
}
