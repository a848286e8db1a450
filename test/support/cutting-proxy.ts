import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can kill everything that goes through it, and counts the bytes that go up. */
export async function startCuttingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let up = 0;
  let isDeaf = false;
  let delayMs = 0;
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
        if (delayMs === 0) {
          if (!other.write(bytes)) one.pause();
          return;
        }
        // Nothing overtakes what is under way, because nothing more is read meanwhile.
        one.pause();
        setTimeout(() => {
          if (other.writable && other.write(bytes)) one.resume();
        }, delayMs);
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
    /** Lets everything take so long to come through, in each direction; 0 as fast as it can. */
    delay: (ms: number) => {
      delayMs = ms;
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;
