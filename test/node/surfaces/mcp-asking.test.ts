import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import type { Caller } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { Mailbox } from '../../../src/events/mailbox.ts';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const FORM = {
  who: {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  },
} as const;
const PAGE = {
  who: { method: 'elicitation/create', params: { mode: 'url', url: 'https://x.example/', message: 'Look.' } },
} as const;

type Requests = Parameters<NonNullable<Caller['ask']>>[0];

/** An endpoint with one tool, which asks in the middle of its call, and says what it heard. */
function open(requests: object = FORM) {
  const mailbox = new Mailbox();
  const heard: unknown[] = [];
  const enough = new AbortController();
  const door = { newCallId: () => 'call', admit: () => ADMITTED, ...NO_LEDGER, report: () => undefined };
  const tools = toolSet(
    { hello: catalogue.hello },
    {
      hello: async (_, call) => {
        const signal = AbortSignal.any([call.signal, enough.signal]);
        heard.push((await call.caller.ask?.(requests as Requests, signal)) ?? 'cannot ask');
        return call.ok({ greeting: 'Hello', message: 'Hello', timestamp: '2026-01-01T00:00:00.000Z' });
      },
    },
    door,
    undefined,
  );
  const mail = {
    post: async (name: string, text: string) => mailbox.post(name, text),
    tell: async (name: string, text: string) => mailbox.tell(name, text),
    take: (name: string, ms: number) => mailbox.take(name, ms),
  };
  // Two isolates that share the mailbox alone.
  const isolates = [mcpOverHttp({ tools, stateKey }, { mail }), mcpOverHttp({ tools, stateKey }, { mail })];
  const send = (message: object, session?: string, as = 'ada', isolate = 0, version = '2025-11-25') =>
    (isolates[isolate] as (typeof isolates)[number])(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': version,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
      { principal: as, client: 'tests', via: 'mcp', scopes: new Set(['read']) },
    );
  const begin = async (capabilities: object = { elicitation: { form: {}, url: {} } }, as = 'ada') => {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 't', version: '1' } };
    const response = await send({ id: 0, method: 'initialize', params }, undefined, as);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  const call = async (session?: string, more: object = {}) => {
    const response = await send({ id: 1, method: 'tools/call', params: { name: 'hello', ...more } }, session);
    return events(response);
  };
  const answer = (session: string | undefined, id: unknown, result: object, as?: string) =>
    send({ id, result }, session, as, 1);
  return { heard, enough, begin, call, answer, send };
}

/** Reads the messages of a stream one by one. */
function events(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  const next = async (): Promise<Record<string, unknown> & { params: Record<string, unknown> }> => {
    for (;;) {
      const [, data, rest] = /^(?::.*\n\n)*event: message\ndata: (.*)\n\n([\s\S]*)$/.exec(text) ?? [];
      if (data !== undefined) {
        text = rest ?? '';
        return JSON.parse(data);
      }
      const { done, value } = await reader.read();
      if (done) throw new Error(`The stream ended after: ${text}`);
      text += new TextDecoder().decode(value);
    }
  };
  return { next };
}

const ways: [string, object][] = [
  ['a plain call', {}],
  ['a call with progress', { _meta: { progressToken: 1 } }],
];

describe.each(ways)('a 2025 client, in %s', (_, more) => {
  it('is asked on the stream of the call at once, and answers through another isolate', async () => {
    const { heard, begin, call, answer } = open();
    const session = await begin();
    const stream = await call(session, more);
    const question = await stream.next();
    expect(question).toMatchObject({ jsonrpc: '2.0', ...FORM.who });
    expect((await answer(session, question.id, { action: 'accept', content: { a: 1 } })).status).toBe(202);
    expect(await stream.next()).toMatchObject({
      id: 1,
      result: { structuredContent: { greeting: 'Hello' } },
    });
    expect(heard).toEqual([{ who: { action: 'accept', content: { a: 1 } } }]);
  });

  it('hears when a page no longer has to be waited for, and that nobody needs its answer', async () => {
    const { enough, begin, call, heard } = open(PAGE);
    const stream = await call(await begin(), more);
    const { id, params } = await stream.next();
    expect(params).toMatchObject({ mode: 'url', elicitationId: id });
    enough.abort();
    expect(await stream.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
    expect(await stream.next()).toMatchObject({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: id },
    });
    expect(await stream.next()).toMatchObject({ id: 1, result: {} });
    expect(heard).toEqual([{}]);
  });

  it('is not answered for by another client, another caller, a stranger, or with another id', async () => {
    const { enough, heard, begin, call, answer } = open();
    const session = await begin();
    const stream = await call(session, more);
    const { id } = await stream.next();
    const accept = { action: 'accept' };
    expect((await answer(await begin(), id, accept)).status).toBe(202);
    await answer(await begin({ elicitation: {} }, 'mallory'), id, accept, 'mallory');
    await answer(session, id, accept, 'mallory');
    await answer(undefined, id, accept);
    await answer('1.fu.forged', id, accept);
    await answer(session, 1, accept);
    await answer(session, `${id}x`, accept);
    await answer(session, id, { action: 'accept', content: { long: 'x'.repeat(20_000) } });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(heard).toEqual([]);
    enough.abort();
    await stream.next();
    await stream.next();
    expect(heard).toEqual([{}]);
  });

  it('that answers with an error was not asked', async () => {
    const { heard, begin, call, send } = open();
    const session = await begin();
    const stream = await call(session, more);
    const { id } = await stream.next();
    await send({ id, error: { code: -32601, message: 'No.' } }, session);
    await stream.next();
    expect(heard).toEqual([{}]);
  });

  it.each<[string, object | undefined]>([
    ['has no session', undefined],
    ['declares nothing', {}],
    ['declares something else', { sampling: {} }],
    ['takes pages alone', { elicitation: { url: {} } }],
  ])('is asked nothing if it %s', async (_, capabilities) => {
    const { heard, begin, call } = open();
    const stream = await call(capabilities && (await begin(capabilities)), more);
    expect(await stream.next()).toMatchObject({ id: 1, result: {} });
    expect(JSON.stringify(heard)).toMatch(/^\[({}|"cannot ask")\]$/);
  });

  it('is asked nothing if its session is of another caller or of no one', async () => {
    const { heard, begin, call } = open();
    const sessions = [await begin(undefined, 'mallory'), '1.fu.AAAAAAAAAAAAAAAAAAAAAA.x', 'b3b1a0f0'];
    for (const session of sessions) await (await call(session, more)).next();
    expect(heard).toEqual(sessions.map(() => 'cannot ask'));
  });
});

it('promises 2025 clients no news, which would not reach them', async () => {
  const { send } = open();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const begun = await (await send({ id: 0, method: 'initialize', params })).text();
  expect(begun).toContain('"capabilities":{"tools":{}}');
});
