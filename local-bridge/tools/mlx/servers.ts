import { setTimeout as wait } from 'node:timers/promises';
import type { MlxHost } from './host.ts';
import type { Registry, Server } from './registry.ts';
import * as scripts from './scripts.ts';

/** The present use of a port. */
export type Standing =
  | { readonly kind: 'ours'; readonly server: Server & { readonly pid: number } }
  /** A program that was not started from here listens, or is about to. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'free' };

/** Looks at a port, and forgets a server of ours that is gone. */
export async function standingOf(port: number, host: MlxHost, registry: Registry): Promise<Standing> {
  const known = registry.at(host.name, port);
  const server = known && (await alive(known, host, registry));
  if (server) return { kind: 'ours', server };
  if (known) registry.drop(known.id);
  return (await host.isListening(port)) ? { kind: 'foreign' } : { kind: 'free' };
}

/**
 * Finds a server's process, if it still runs. Its start time tells it from a later process with the same id. If the
 * bridge ended before it read the id, the id is in a file.
 */
export async function alive(
  server: Server,
  host: MlxHost,
  registry: Registry,
): Promise<(Server & { pid: number }) | undefined> {
  const pid = server.pid ?? numberIn((await host.run(scripts.startedAs(server.id))).stdout);
  if (pid === undefined) return undefined;
  const told = async (script: string) => (await host.run(script)).stdout.trim();
  const since = await told(scripts.sinceOf(pid));
  if (since === '') return undefined;
  if (server.since !== null && server.since !== since) {
    // An earlier version wrote the start down by the clock.
    if (server.since !== (await told(scripts.sinceByClock(pid)))) return undefined;
  }
  const found = { ...server, pid, since };
  if (server.pid === null || server.since !== since) registry.put(found);
  return found;
}

/** Ends a server and all it started, with a stronger signal each time. Tells whether nothing is left. */
export async function stop(group: number, host: MlxHost, seconds: number): Promise<boolean> {
  for (const name of ['INT', 'TERM', 'KILL'] as const) {
    await host.run(scripts.signal(group, name));
    const until = performance.now() + seconds * 1_000;
    do {
      if (numberIn((await host.run(scripts.leftOf(group))).stdout) === 0) return true;
      await wait(host.isRemote ? 500 : 100);
    } while (performance.now() < until);
  }
  return false;
}

export function numberIn(text: string): number | undefined {
  const found = /^\s*(\d+)/.exec(text);
  return found ? Number(found[1]) : undefined;
}
