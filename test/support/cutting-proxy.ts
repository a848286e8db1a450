import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can kill everything that goes through it, and counts the bytes that go up. */
export async function startCuttingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let up = 0;
  let isDeaf = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.on('data', (bytes) => {
        if (one === near) up += bytes.length;
        if (isDeaf) return;
        if (!other.write(bytes)) one.pause();
      });
      other.on('drain', () => one.resume());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Bytes that machines sent. */
    sent: () => up,
    /** Resets every connection. */
    cut: () => {
      for (const socket of open) socket.resetAndDestroy();
    },
    /** Swallows what comes, or stops doing so: a connection that is open and dead. */
    deafen: (deaf: boolean) => {
      isDeaf = deaf;
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;
