import { expect } from 'vitest';
import type { Recorded } from '../../fixtures/clients/recorded.ts';
import { GATEWAY, messageIn, type RpcAnswer, send } from '../http.ts';
import { bearer } from './support.ts';

/** A message that the gateway sent on the stream of a call. */
interface Message extends Partial<RpcAnswer> {
  readonly method?: string;
  readonly params?: unknown;
}

let entries = 0;

/** The path of an address of the gateway. */
export function pathOf(url: string): string {
  const { origin, pathname } = new URL(url);
  expect(origin).toBe(GATEWAY);
  return pathname;
}

/** Connects as a recorded client of 2025 does. Gives what it sends from then on. */
export async function connected(
  { headers, later = {}, initialize, meta, protocol }: Recorded,
  secret: string,
) {
  const own: Record<string, string> = { ...headers, ...bearer(secret) };
  let id = 0;
  const post = (method: string, params: object, isNews = false) => {
    const message = { jsonrpc: '2.0', ...(isNews ? {} : { id: id++ }), method, params };
    return send('/mcp', { method: 'POST', headers: own, body: JSON.stringify(message) });
  };
  const begun = await post('initialize', { ...initialize });
  const session = begun.headers.get('mcp-session-id') ?? '';
  expect((await messageIn(begun)).result).toMatchObject({ protocolVersion: protocol });
  Object.assign(own, later, { 'mcp-session-id': session });
  expect((await post('notifications/initialized', {}, true)).status).toBe(202);
  // Both ask for a stream of news next. They do without it where the answer is in the 400s.
  const news = await send('/mcp', { headers: { ...own, accept: 'text/event-stream' } });
  expect(news.status).toBe(405);
  const call = (name: string, args: object) =>
    post('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  return {
    post,
    call,
    /** Begins a call whose answer comes as events. */
    begin: async (name: string, args: object) => {
      const callId = id;
      return { id: callId, ...heard(await call(name, args)) };
    },
    cancel: ({ id: requestId }: { readonly id: number }) =>
      post('notifications/cancelled', { requestId, reason: 'Its person stopped it.' }, true),
    answer: ({ id: asked }: Message, result: object) =>
      send('/mcp', {
        method: 'POST',
        headers: own,
        body: JSON.stringify({ jsonrpc: '2.0', id: asked, result }),
      }),
    leave: () => send('/mcp', { method: 'DELETE', headers: own }),
    entry: (what: string) => ({
      file: 'decisions.jsonl',
      entry: { timestamp: '2026-01-31T12:00:00Z', type: 'decision', text: `A line ${what}, ${++entries}` },
    }),
  };
}

/** Reads an answer's events as they come. */
function heard({ body, headers }: Response) {
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('The answer has no body.');
  const messages: Message[] = [];
  let rest = '';
  const next = async (): Promise<boolean> => {
    const { done, value = '' } = await reader.read();
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) messages.push(JSON.parse(line.slice(6)));
    return !done;
  };
  return {
    until: async (method: string): Promise<Message> => {
      for (;;) {
        const found = messages.find((message) => message.method === method);
        if (found) return found;
        if (!(await next())) throw new Error(`It ended without ${method}: ${JSON.stringify(messages)}`);
      }
    },
    /** Everything that came, once it has ended. */
    end: async (): Promise<readonly Message[]> => {
      while (await next());
      return messages;
    },
  };
}
