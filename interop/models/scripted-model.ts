import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a model's makers have it say and hear, as far as one tool call goes. */
export interface Speech {
  /** The path of its requests. */
  readonly path: string;
  /** The events in which the model calls the tool, or those in which it ends if there is none. */
  say(call: ScriptedCall | undefined, request: Heard): readonly object[];
  /** Tells if a request carries the answer to the call. */
  isAnswered(request: Heard): boolean;
}

export interface ScriptedCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** A request to a model. */
export type Heard = Readonly<Record<string, unknown>>;

/** A model on this computer's loopback that says what it is told to, and the way to the gateway beside it. */
export interface ScriptedModel {
  /** Its address, for the agent's settings. */
  readonly url: string;
  /** The gateway's address, by a way that notes the protocol. */
  readonly mcp: string;
  /** Every request to the model, in order. */
  readonly heard: readonly Heard[];
  readonly protocol: () => string | undefined;
  close(): void;
}

/** Serves a model that makes one call, and then ends. Nothing of it leaves this computer. */
export async function scriptedModel(
  gateway: string,
  speech: Speech,
  call: ScriptedCall | undefined,
): Promise<ScriptedModel> {
  const heard: Heard[] = [];
  let protocol: string | undefined;
  const { origin, pathname } = new URL(gateway);
  const server = createServer(async (from, to) => {
    const path = new URL(from.url ?? '/', origin).pathname;
    if (path === speech.path) {
      const asked = JSON.parse(await text(from)) as Heard;
      heard.push(asked);
      const events = speech.say(speech.isAnswered(asked) ? undefined : call, asked);
      to.writeHead(200, { 'content-type': 'text/event-stream' });
      to.end(events.map(written).join(''));
      return;
    }
    const header = from.headers['mcp-protocol-version'];
    if (path.startsWith(pathname) && typeof header === 'string') protocol = header;
    // Everything else that the gateway serves, such as the documents for signing in, is found at its own address.
    if (path.startsWith(pathname)) passOn(origin, from, to);
    else to.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, mcp: url + pathname, heard, protocol: () => protocol, close };
}

function written(event: object): string {
  const type = 'type' in event ? String(event.type) : 'message';
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function passOn(origin: string, from: IncomingMessage, to: ServerResponse): void {
  const { method, url, headers } = from;
  const out = request(new URL(url ?? '/', origin), {
    method,
    headers: { ...headers, host: new URL(origin).host },
  });
  out.on('response', (answer) => {
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(to);
  });
  out.on('error', () => to.destroy());
  // Who leaves here leaves there as well.
  to.on('close', () => out.destroy());
  from.pipe(out);
}
