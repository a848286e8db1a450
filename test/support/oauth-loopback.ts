import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { type Inbox, inbox } from './oauth-inbox.ts';

export interface Loopback {
  readonly origin: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A server of our own on a port of this computer: a free one, if none is named. */
export async function loopback(answer: RequestListener, host = '127.0.0.1', at = 0): Promise<Loopback> {
  const server = createServer(answer).listen(at, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    origin: `http://${host}:${port}`,
    port,
    close: async () => {
      server.close();
      // Browsers keep connections open in case there is more.
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Where an app of the owner's computer waits for its code. */
export async function callback(): Promise<
  Loopback & { redirectUrl: string; answers: Inbox<URLSearchParams> }
> {
  const answers = inbox<URLSearchParams>();
  const server = await loopback((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    response.setHeader('content-type', 'text/html');
    if (url.pathname !== '/callback') return response.writeHead(404).end();
    answers.put(url.searchParams);
    return response.end('<!doctype html><title>Done</title><link rel="icon" href="data:,">Done.');
  });
  return { ...server, redirectUrl: `${server.origin}/callback`, answers };
}

/**
 * Stands where programs look for a browser, and takes the address they want opened. Its `env` makes
 * them find it: Linux asks `BROWSER`, a Mac runs `open`.
 */
export async function browserStandIn(folder: string): Promise<{
  readonly env: Record<string, string>;
  readonly opened: Inbox<URL>;
  close(): Promise<void>;
}> {
  const opened = inbox<URL>();
  const server = await loopback((request, response) => {
    opened.put(new URL(decodeURIComponent((request.url ?? '').slice(1))));
    response.end();
  });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const script = `await fetch("${server.origin}/" + encodeURIComponent(process.argv.at(-1)))`;
  for (const name of ['open', 'xdg-open']) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nexec "${process.execPath}" --input-type=module -e '${script}' "$@"\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  return {
    env: { PATH: `${bin}:${process.env.PATH}`, BROWSER: join(bin, 'xdg-open') },
    opened,
    close: server.close,
  };
}
