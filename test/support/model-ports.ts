import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** The port of the examples in the contracts. */
export const EXAMPLE_PORT = 8_100;
/** Models may have ports up to 8139. The other ports are divided between the files of tests that run at one time. */
const BLOCKS = [8_104, 8_111, 8_118, 8_125, 8_132];
const PORTS_A_BLOCK = 7;

/** The listener that marks a port as taken stands so far above it. */
const MARK = 20_000;

/**
 * Waits until no other run of the tests has one of these ports, and gives it. The system gives the mark to one process
 * alone, and takes it back when that process ends.
 */
export async function claimOneOf(
  ports: readonly number[],
): Promise<{ readonly port: number; release(): Promise<void> }> {
  for (;;) {
    for (const port of ports) {
      const release = await stranger(port + MARK).catch(() => undefined);
      if (release) return { port, release };
    }
    await wait(200);
  }
}

/** Takes ports of models until a file of tests ends. Gives one after the other, from the first again after the last. */
export async function claimModelPorts(): Promise<() => number> {
  const { port, release } = await claimOneOf(BLOCKS);
  afterAll(release);
  let given = 0;
  return () => port + (given++ % PORTS_A_BLOCK);
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
