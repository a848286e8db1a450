import { Agent, request } from 'node:http';

export interface Shot {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Burst {
  readonly requests: number;
  readonly seconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends the same request several times over kept-alive connections, a few at a time. */
export async function fire(url: string, shot: Shot, requests: number, concurrency = 8): Promise<Burst> {
  const started = performance.now();
  let left = requests;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await send(url, shot);
    }),
  );
  return { requests, seconds: (performance.now() - started) / 1000 };
}

/**
 * Sends one request and gives its body. If a connection that was kept open turns out to be closed, sends it again over a
 * new one: others that were kept may be closed as well.
 */
export async function send(url: string, shot: Shot): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(url, shot, attempt === 1 ? agent : false);
    } catch (error) {
      if (!isReset(error) || attempt === 3) throw error;
    }
  }
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function sendOnce(url: string, { path, headers, body }: Shot, agent: Agent | false): Promise<string> {
  return new Promise((done, failed) => {
    const outgoing = request(url + path, { method: 'POST', headers, agent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      incoming.once('end', () =>
        incoming.statusCode === 200
          ? done(text)
          : failed(new Error(`${incoming.statusCode}: ${text.slice(0, 400)}`)),
      );
    });
    outgoing.once('error', failed);
    outgoing.end(body);
  });
}

export function closeConnections(): void {
  agent.destroy();
}
