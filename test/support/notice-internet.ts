import { once } from 'node:events';
import { createServer } from 'node:http';

export interface Received {
  readonly host: string;
  readonly path: string;
  readonly headers: Headers;
  /** Each header line as it came over the wire. */
  readonly lines: readonly string[];
  readonly body: Buffer;
}

/** A status, with headers if it takes any; `undefined` never answers. */
export type Answer =
  | number
  | { readonly status: number; readonly headers: Record<string, string> }
  | undefined;

export interface Internet {
  /** Asks this server, whatever the address: for the code under test, the whole internet is here. */
  readonly fetch: typeof globalThis.fetch;
  /** What came to a host, oldest first. */
  to(host: string): Received[];
  readonly hosts: () => string[];
  /** Resolves when as many requests as that have come in whole. */
  came(count: number): Promise<void>;
  /** Resolves when whoever asked a host has hung up. */
  left(host: string): Promise<void>;
  close(): Promise<void>;
}

/** Hosts that stand behind one loopback socket and answer as they are told to; the others answer 200. */
export async function internet(answers: Record<string, Answer> = {}): Promise<Internet> {
  const received: Received[] = [];
  const gone = new Map<string, PromiseWithResolvers<void>>();
  const goneOf = (host: string) => {
    const entry = gone.get(host) ?? Promise.withResolvers<void>();
    gone.set(host, entry);
    return entry;
  };
  let wake = () => {};
  const server = createServer(async (request, response) => {
    const [, host = '', path = ''] = /^\/([^/]+)(.*)$/.exec(request.url ?? '') ?? [];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const pairs = request.rawHeaders.flatMap((name, i, all) => (i % 2 ? [] : [[name, all[i + 1] ?? '']]));
    received.push({
      host,
      path,
      headers: new Headers(pairs as [string, string][]),
      lines: pairs.map(([name, value]) => `${name}: ${value}`),
      body: Buffer.concat(chunks),
    });
    wake();
    const answer = host in answers ? answers[host] : 200;
    if (answer === undefined) {
      response.once('close', () => goneOf(host).resolve());
      return;
    }
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    response.writeHead(status, headers).end('private words of the server');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  return {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { method, headers, redirect, signal } = request;
      const url = new URL(request.url);
      const there = `http://127.0.0.1:${port}/${url.host}${url.pathname}${url.search}`;
      const body = await request.arrayBuffer();
      return globalThis.fetch(there, { method, headers, redirect, signal, body });
    },
    to: (host) => received.filter((one) => one.host === host),
    hosts: () => received.map(({ host }) => host).sort(),
    came: async (count) => {
      while (received.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    left: (host) => goneOf(host).promise,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The text of a header as ntfy reads it: Go's `mime.WordDecoder`, for the one encoding that is sent. */
export function decodedHeader(value: string | null | undefined): string {
  return (value ?? '')
    .replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
    .replaceAll(/=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=/gi, (_, word: string) =>
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(word, 'base64')),
    );
}
