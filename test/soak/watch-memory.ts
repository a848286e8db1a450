import { setTimeout as wait } from 'node:timers/promises';
import { largestOf, memoryOf, ownProcesses, type Side } from './processes.ts';
import type { Product } from './product.ts';

export type Memory = Readonly<Record<Side, number>>;

/** Looks at what both sides hold, again and again. */
export interface MemoryWatch {
  readonly start: Memory;
  readonly most: Memory;
  now(): Memory;
  stop(): void;
}

const EVERY_MS = 1_000;

export function watchMemory({ mark, base }: Pick<Product, 'mark' | 'base'>): MemoryWatch {
  let most: Memory = { gateway: 0, bridge: 0 };
  const now = () => {
    const processes = ownProcesses(mark, base);
    const { gateway, bridge } = largestOf(processes);
    most = { gateway: Math.max(most.gateway, gateway), bridge: Math.max(most.bridge, bridge) };
    return memoryOf(processes);
  };
  const start = now();
  const timer = setInterval(now, EVERY_MS);
  return {
    start,
    get most() {
      return most;
    },
    now,
    stop: () => clearInterval(timer),
  };
}

/** A gateway frees what calls left behind at most once in such a time, and only while calls come. */
const FREED_MS = 5_500;
const CALLS = 25;

/**
 * Lets the gateway free what the load left behind, as it does while calls come. Before that it holds up to half a gigabyte
 * of what nothing uses, and how much of it is chance. The second time gives back the pages that the first one emptied.
 */
export async function letFree({ owner }: Pick<Product, 'owner'>): Promise<void> {
  for (let time = 1; time <= 2; time++) {
    await wait(FREED_MS);
    for (let call = 1; call <= CALLS; call++) await owner.call('GET', 'feed?after=0&wait=0');
  }
}

/** What both sides hold, in one line. */
export function inWords({ gateway, bridge }: Memory): string {
  return `gateway ${megabytes(gateway)} MB, bridge ${megabytes(bridge)}`;
}

export function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
