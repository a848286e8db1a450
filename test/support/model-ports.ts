import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** The ports that a run of the tests has for itself. */
type Ports = readonly [number, ...number[]];

/** Models may have ports from 8100 to 8139. They are divided between what runs at one time. */
const BLOCKS = [8_100, 8_107, 8_114, 8_121, 8_128];
const PORTS_A_BLOCK = 7;

/** The listener that marks a port as taken stands so far above it. */
const MARK = 20_000;

/**
 * Waits for a block of ports that no other run of the tests has, and gives it. The system gives the mark to one process
 * alone, and takes it back when that process ends.
 */
export async function claimPorts(): Promise<{ readonly ports: Ports; release(): Promise<void> }> {
  for (;;) {
    for (const first of BLOCKS) {
      const release = await stranger(first + MARK).catch(() => undefined);
      if (release) return { ports: [first, ...others(first)], release };
    }
    await wait(200);
  }
}

function others(first: number): number[] {
  return Array.from({ length: PORTS_A_BLOCK - 1 }, (_, at) => first + at + 1);
}

/** Takes ports of models until a file of tests ends. Gives one after the other, from the first again after the last. */
export async function claimModelPorts(): Promise<() => number> {
  const { ports, release } = await claimPorts();
  afterAll(release);
  let given = 0;
  return () => ports[given++ % ports.length] ?? ports[0];
}

/** Something that listens on a port and is none of ours. */
export async function stranger(port: number): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}
