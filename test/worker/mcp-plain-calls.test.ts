import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hello } from '../../contracts/hello.ts';
import type { Caller, Result } from '../../src/core/call.ts';
import type { Tool } from '../../src/core/tools.ts';
import { mcpOverHttp } from '../../src/surfaces/mcp-http.ts';
import { everyone } from '../support/tools.ts';
import { bySdk, counted } from './counted-sdk.ts';
import { GATEWAY, messageIn } from './http.ts';
import { able, clientSaying, clients, P, type Sent } from './mcp-clients.ts';

vi.mock(import('../../src/surfaces/mcp-handler.ts'), async (load) => counted(await load()));
beforeAll(async () => {
  // Loading the SDK may take longer than an answer may.
  await (await ending(async () => ({ kind: 'ok', output })).sdk(request('2025'))).text();
});
beforeEach(() => bySdk.mockClear());

const envelope = {
  [`${P}protocolVersion`]: '2026-07-28',
  [`${P}clientInfo`]: { name: 'tests', version: '1' },
  [`${P}clientCapabilities`]: {},
};
const accept = 'application/json, text/event-stream';

/** A plain call in the protocol of either era, but for what is changed in it. */
function request(era: '2025' | '2026', { body, params, meta, headers }: Sent = {}): Request {
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'hello' };
  const base = era === '2026' ? envelope : undefined;
  const _meta = meta === null ? undefined : base || meta ? { ...base, ...meta } : undefined;
  const call = { name: 'hello', arguments: { name: 'Ada' }, ...(_meta ? { _meta } : {}), ...params };
  return new Request(`${GATEWAY}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...(era === '2026' ? modern : {}), ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call, ...body }),
  });
}

/** An endpoint whose one tool ends every call in the given way. */
function ending(end: (args: unknown, caller: Caller) => Promise<Result>) {
  const tool: Tool = {
    contract: hello,
    call: end,
    run: ({ input, caller }) => end(input, caller),
    look: async () => ({ kind: 'none', why: 'It only reads.' }),
  };
  const reported: unknown[] = [];
  const made = (logging: boolean) =>
    mcpOverHttp({ tools: new Map([['hello', tool]]), logging, report: (error) => reported.push(error) });
  const [plain, sdk] = [made(false), made(true)];
  return {
    reported,
    plain: (sent: Request) => plain(sent, everyone),
    sdk: (sent: Request) => sdk(sent, everyone),
  };
}

/** All messages of an answer, in their order. */
async function messagesIn(response: Response): Promise<unknown[]> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)];
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
}

const output = { greeting: 'Hello, Ada!', message: 'Hello, Ada!', timestamp: '2026-01-01T00:00:00.000Z' };
const CANNOT = { url: false, form: false, sampling: false, roots: false };
/** A question without a state, so that both answers to it are the same. */
const question = (isPage: boolean): Result => {
  const form = {
    mode: 'form',
    message: 'Which?',
    requestedSchema: { type: 'object', properties: {} },
  } as const;
  const page = { mode: 'url', message: 'Look.', url: 'https://a/b', elicitationId: 'e' } as const;
  return {
    kind: 'needs_input',
    requests: { approval: { method: 'elicitation/create', params: isPage ? page : form } },
  };
};
const failure = { code: 'x', http_status: 400, message: 'No “fit”.', suggestion: 'Mend it.\n' };
const ends: Record<string, Result> = {
  'a result': { kind: 'ok', output },
  'a result with what only MCP shows': {
    ...{ kind: 'ok', output, meta: { cut: { fields: ['a'] } } },
    content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  },
  'a refusal': { kind: 'failed', failure },
  'a refusal with what came instead': { kind: 'failed', failure: { ...failure, raw: '<p>\u2028</p>' } },
};

describe.each(['2025', '2026'] as const)('a plain call in the protocol of %s', (era) => {
  it.each(Object.entries(ends))('is answered with %s as the SDK answers it, without it', async (_, end) => {
    const { plain, sdk } = ending(async () => end);
    const [ours, theirs] = [await plain(request(era)), await sdk(request(era))];
    expect(bySdk).toHaveBeenCalledTimes(1);
    expect(ours.status).toBe(theirs.status);
    for (const name of ['content-type', 'cache-control', 'x-accel-buffering'])
      expect([name, ours.headers.get(name)]).toEqual([name, theirs.headers.get(name)]);
    expect(await messageIn(ours)).toEqual(await messageIn(theirs));
  });

  describe.each(Object.entries(clients[era]))('from a client %s', (_, sent) => {
    it('is answered as the SDK answers it, without it, in the same events', async () => {
      const told: unknown[] = [];
      const { plain, sdk } = ending(async (_, { progress, askable }) => {
        told.push(askable ?? CANNOT);
        progress?.({ progress: 1, total: 3, message: 'a “line”\n\u2028' });
        await Promise.resolve();
        progress?.({ progress: 2 });
        return { kind: 'ok', output };
      });
      const [ours, theirs] = [await plain(request(era, sent)), await sdk(request(era, sent))];
      expect(bySdk).toHaveBeenCalledTimes(1);
      expect([ours.status, ours.headers.get('content-type')]).toEqual([
        theirs.status,
        theirs.headers.get('content-type'),
      ]);
      const messages = await messagesIn(ours);
      expect(messages).toEqual(await messagesIn(theirs));
      expect(messages).toHaveLength(sent.meta && 'progressToken' in sent.meta ? 3 : 1);
      expect(told[0]).toEqual(told[1]);
    });

    it('is answered as the SDK answers it if it has to ask, and runs once', async () => {
      const asked = vi.fn(async (_: unknown, { askable }: Caller) =>
        askable?.url || askable?.form ? question(askable.url) : ({ kind: 'ok', output } as const),
      );
      const { plain, sdk } = ending(asked);
      const ours = await plain(request(era, sent));
      expect(asked).toHaveBeenCalledTimes(1);
      const theirs = await sdk(request(era, sent));
      expect([ours.status, ...(await messagesIn(ours))]).toEqual([
        theirs.status,
        ...(await messagesIn(theirs)),
      ]);
    });
  });

  it('tells nobody of progress after its answer', async () => {
    const late = Promise.withResolvers<Caller>();
    const { plain } = ending(async (_, caller) => {
      late.resolve(caller);
      return { kind: 'ok', output };
    });
    const answer = await plain(request(era, { meta: { progressToken: 1 } }));
    const messages = await messagesIn(answer);
    (await late.promise).progress?.({ progress: 1 });
    expect(messages).toHaveLength(1);
  });

  it('is an error without words of its own when the tool breaks', async () => {
    const broken = new Error('secret words');
    const { plain, reported } = ending(() => Promise.reject(broken));
    const text = await (await plain(request(era))).text();
    expect(text).toContain('"error":{"code":-32603,"message":"Internal error"}');
    expect(reported).toEqual([broken]);
  });

  it('is begun before it is done when it takes long, and kept alive', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const end = Promise.withResolvers<Result>();
      const { plain } = ending(() => end.promise);
      const answer = plain(request(era));
      await vi.advanceTimersByTimeAsync(1_000);
      const response = await answer;
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const next = async () => new TextDecoder().decode((await reader.read()).value);
      expect(await next()).toBe(': working\n\n');
      await vi.advanceTimersByTimeAsync(500);
      expect(await next()).toBe(': working\n\n');
      end.resolve({ kind: 'ok', output });
      expect(await next()).toMatch(/^event: message\ndata: \{.*"id":7,.*"structuredContent":.*\}\n\n$/);
      expect((await reader.read()).done).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is cancelled when its reader leaves while it runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const end = Promise.withResolvers<Result>();
      const called = Promise.withResolvers<Caller>();
      const { plain, reported } = ending((_, caller) => {
        called.resolve(caller);
        return end.promise;
      });
      const answer = plain(request(era));
      await vi.advanceTimersByTimeAsync(1_000);
      const { signal } = await called.promise;
      expect(signal?.aborted).toBe(false);
      await (await answer).body?.cancel();
      expect(signal?.aborted).toBe(true);
      end.resolve({ kind: 'ok', output });
      await end.promise;
      expect([vi.getTimerCount(), reported]).toEqual([0, []]);
    } finally {
      vi.useRealTimers();
    }
  });

  const unusual: Record<string, Sent> = {
    'another version of JSON-RPC': { body: { jsonrpc: '1.0' } },
    'no id': { body: { id: undefined } },
    'an id that is no whole number': { body: { id: 1.5 } },
    'an id that is nothing': { body: { id: null } },
    'something beside the message': { body: { extra: 1 } },
    'something beside the parameters': { params: { task: { ttl: 1 } } },
    'answers to questions': { params: { inputResponses: {} } },
    'a state of questions': { params: { requestState: 'x' } },
    'a name that is no text': { params: { name: 7 } },
    'a tool there is not': { params: { name: 'hell' }, headers: { 'mcp-name': 'hell' } },
    'arguments that are a list': { params: { arguments: [] } },
    'arguments that are nothing': { params: { arguments: null } },
    'a wish for progress without a name': { meta: { progressToken: 1.5 } },
    'a wish for log lines of no known level': { meta: { [`${P}logLevel`]: 'loud' } },
    'a key of the protocol that is not known': { meta: { [`${P}new`]: 1 } },
    'a protocol there is not': { headers: { 'mcp-protocol-version': '2031-01-01' } },
    'no will to take events': { headers: { accept: 'application/json' } },
    'no will to take JSON': { headers: { accept: 'text/event-stream' } },
  };
  const modern: Record<string, Sent> = {
    'another method in its header': { headers: { 'mcp-method': 'tools/list' } },
    'another name in its header': { headers: { 'mcp-name': 'help' } },
    'no envelope': { meta: null },
    'another version in its envelope': { meta: { [`${P}protocolVersion`]: '2025-11-25' } },
    'a client without a name': { meta: { [`${P}clientInfo`]: { version: '1' } } },
    'a client with a name that is none': { meta: { [`${P}clientInfo`]: { name: 1, version: '1' } } },
    'a client with an icon that is none': clientSaying({ icons: [{ src: 1 }] }),
    'a client with an icon for no light': clientSaying({ icons: [{ src: 'a', theme: 'blue' }] }),
    'a client with an icon without sizes': clientSaying({ icons: [{ src: 'a', sizes: [1] }] }),
    'a client with an address that is none': clientSaying({ websiteUrl: 1 }),
    'no word of what the client can': able(undefined),
    'abilities that are a list': able([]),
    'an ability to ask that is none': able({ elicitation: null }),
    'a way to ask that is none': able({ elicitation: { url: true } }),
    'forms that are filled in maybe': able({ elicitation: { form: { applyDefaults: 'maybe' } } }),
    'a model that is none': able({ sampling: { tools: [] } }),
    'folders that change maybe': able({ roots: { listChanged: 1 } }),
    'an extension that is none': able({ extensions: { a: 1 } }),
    'an experiment that is none': able({ experimental: [] }),
  };
  const legacy: Record<string, Sent> = {
    'the envelope of the other era': { meta: envelope },
  };
  it.each(Object.entries({ ...unusual, ...(era === '2026' ? modern : legacy) }))(
    'with %s is the SDK’s to judge',
    async (_, sent) => {
      const called = vi.fn(async () => ({ kind: 'ok', output }) as const);
      await (await ending(called).plain(request(era, sent))).text();
      expect(bySdk).toHaveBeenCalledTimes(1);
    },
  );

  it('passes on who calls, and that its caller may leave', async () => {
    const seen: Caller[] = [];
    const { plain } = ending(async (_, caller) => {
      seen.push(caller);
      return { kind: 'ok', output };
    });
    await plain(request(era, { meta: { 'openai/locale': 'de' } }));
    expect(seen).toEqual([{ ...everyone, signal: expect.any(AbortSignal) }]);
    expect(bySdk).not.toHaveBeenCalled();
  });

  it('of a tool that asks is told to wait for the owner', async () => {
    const { plain } = ending(async () => ({ kind: 'needs_input', requests: {} }));
    expect(await messageIn(await plain(request(era)))).toMatchObject({
      result: { isError: true, _meta: { 'dev.bowline/error': { code: 'approval_required' } } },
    });
  });
});
