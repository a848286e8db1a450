import { setTimeout as wait } from 'node:timers/promises';
import type { AnyContract } from '../../../contracts/contract.ts';
import type { Result } from '../../../src/core/call.ts';
import type { Call } from '../../../src/core/handler.ts';
import { type Door, invoke, lookAt, runPrepared } from '../../../src/core/invoke.ts';
import type { Tool, ToolSet } from '../../../src/core/tools.ts';
import type { ServerTool } from '../../../src/joined/conform.ts';
import { joinedContract } from '../../../src/joined/joined-contract.ts';
import { failed, joinedResult } from '../../../src/joined/result.ts';
import { type Announced, announce } from './announce.ts';
import { type Keepers, openKeepers } from './keepers.ts';
import { type Backoff, type KeptServer, keepServer, type Standing, shortReason } from './server.ts';
import { type ServerEntry, serverEntries } from './settings.ts';

/** The servers that this machine has started. */
export interface JoinedServers {
  /** Gives their tools except denied ones, each through a door, after `ours`. The set follows changes of the lists. */
  tools(door: Door, ours?: ToolSet, deny?: readonly string[]): ToolSet;
  /** Reports each server's state, what it offers, and what is left out and why. */
  report(): Standing[];
  /** Gives what the gateway learns about them when this machine connects. */
  announced(): Announced;
  /**
   * Starts and stops servers as these settings say, and leaves those alone whose settings are the same. Settings that cannot
   * be used throw, and change nothing.
   */
  follow(servers: unknown): { readonly started: string[]; readonly stopped: string[] };
  close(): Promise<void>;
}

export interface JoinOptions {
  /** The wait for servers that are slow to list their tools. */
  readonly waitMs?: number;
  /** Hears that a list changed. */
  changed?(): void;
  readonly backoff?: Backoff;
}

const WAIT_MS = 10_000;
/** Stands for the machine's name, which contracts on the machine itself do not contain. */
const HERE = 'here';

/** Starts the servers in the settings. Those that do not answer in time join later. */
export async function joinStdioServers(servers: unknown, options: JoinOptions = {}): Promise<JoinedServers> {
  const entries = serverEntries(servers);
  // Open the helper that ends programs with the first one, so that a machine without servers does without.
  let keepers: Keepers | undefined;
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
    options.changed?.();
  };
  const { backoff } = options;
  const kept = new Map<string, KeptServer>();
  /** The settings with which each was started, as JSON. */
  const startedWith = new Map<string, string>();
  const closing = new Set<Promise<void>>();
  const start = (name: string, entry: ServerEntry) => {
    keepers ??= openKeepers();
    kept.set(name, keepServer(name, entry, { keepers, changed, ...(backoff ? { backoff } : {}) }));
    startedWith.set(name, JSON.stringify(entry));
  };
  const stop = (name: string) => {
    const closed = kept.get(name)?.close();
    kept.delete(name);
    startedWith.delete(name);
    if (!closed) return;
    const over: Promise<void> = closed.finally(() => closing.delete(over));
    closing.add(over);
  };
  for (const [name, entry] of entries) start(name, entry);
  const settled = Promise.all([...kept.values()].map((server) => server.settled));
  await Promise.race([settled, wait(options.waitMs ?? WAIT_MS, undefined, { ref: false })]);
  const report = () => [...kept.values()].map((server) => server.standing());
  return {
    report,
    announced: () => announce(report()),
    tools: (door, ours = new Map(), deny = []) => {
      const tools = new Map<string, Tool>();
      const fill = () => {
        tools.clear();
        for (const [name, tool] of ours) tools.set(name, tool);
        for (const [name, server] of kept) {
          for (const tool of server.standing().conformity.tools) {
            const contract = joinedContract({
              server: name,
              tool,
              grade: null,
              machine: HERE,
            });
            if (!deny.includes(contract.wireName))
              tools.set(contract.wireName, toolOf(contract, tool, server, door));
          }
        }
      };
      fill();
      listeners.add(fill);
      return tools;
    },
    follow: (next) => {
      const wanted = serverEntries(next);
      const isSame = (name: string) => startedWith.get(name) === JSON.stringify(wanted.get(name));
      const stopped = [...kept.keys()].filter((name) => !isSame(name));
      const started = [...wanted].filter(([name]) => !isSame(name));
      for (const name of stopped) stop(name);
      for (const [name, entry] of started) start(name, entry);
      // What stopped is gone at once; what started tells of itself once it has listed its tools.
      if (stopped.length > 0) changed();
      return { stopped, started: started.map(([name]) => name) };
    },
    close: async () => {
      await Promise.all([...[...kept.values()].map((server) => server.close()), ...closing]);
      await keepers?.close();
    },
  };
}

function toolOf(contract: AnyContract, listed: ServerTool, server: KeptServer, door: Door): Tool {
  const handler = async (input: unknown, call: Call<AnyContract>): Promise<Result> => {
    const { conformity, name } = server.standing();
    const current = conformity.tools.find((tool) => tool.name === listed.name);
    if (current?.hash !== listed.hash) return failed(call, 'tool_changed', {});
    let answer: unknown;
    try {
      answer = await server.call(listed.name, input, call.signal);
    } catch (error) {
      const message = `The server ${name} did not answer: ${shortReason(error)}`;
      return failed(call, 'server_unreachable', { message });
    }
    return joinedResult(contract, answer, call);
  };
  return {
    contract,
    call: (args, caller) => invoke(contract, handler, args, caller, door, undefined),
    run: (call) => runPrepared(contract, handler, call, door, undefined),
    look: (call) => lookAt(contract, call, undefined, undefined),
  };
}
