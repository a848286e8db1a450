import { describe, expect, it, vi } from 'vitest';
import { ListCache } from '../../src/surfaces/list-cache.ts';
import { everyone } from '../support/tools.ts';
import { type Era, GATEWAY, mcp, mcpEndpoint, messageIn, type Rpc, rpc } from './http.ts';

const eras: Era[] = ['2025', '2026'];
const CACHED = ['tools/list', 'server/discover'];
const ids = [
  1,
  2,
  0,
  -1,
  9_007_199_254_740_991,
  '1',
  '',
  'a',
  '"',
  '"id":1',
  '\\',
  '\n',
  '","id":2,"x":"',
  '😀',
  '$&',
];

/** An answer as text with the id that it carries blanked out. */
async function answerTo(era: Era, request: Rpc) {
  const response = await rpc(era, request);
  expect(response.status).toBe(200);
  const text = await response.clone().text();
  const { id, result } = await messageIn(response);
  expect(id).toBe(request.id);
  const spelt = `"id":${JSON.stringify(request.id)}`;
  expect(text.split(spelt), 'the id occurs once').toHaveLength(2);
  return {
    bytes: text.replace(spelt, () => '"id":?'),
    headers: Object.fromEntries(response.headers),
    result,
  };
}

/** A question nobody asked before, so that its first answer is surely worked out and not remembered. */
let asked = 0;
const fresh = (method: string, params: Record<string, unknown> = {}): Rpc => {
  asked += 1;
  return { method, params: { ...params, _meta: { 'example.org/asked': `question ${asked}` } } };
};

describe.each(eras)('a list asked for again in the protocol of %s', (era) => {
  it.each(era === '2025' ? ['tools/list'] : CACHED)(
    'has the same bytes but for the id, whatever the id is: %s',
    async (method) => {
      const question = fresh(method);
      const first = await answerTo(era, { ...question, id: 'first' });
      expect(first.result).toBeDefined();
      for (const id of ids) expect(await answerTo(era, { ...question, id })).toEqual(first);
    },
  );

  it.each(ids)('is remembered whole even if the first to ask had an odd id: %j', async (id) => {
    const question = fresh('tools/list');
    const first = await answerTo(era, { ...question, id });
    expect(await answerTo(era, { ...question, id: 'second' })).toEqual(first);
  });

  it('is not confused by what looks like an id inside the question', async () => {
    const params = { _meta: { 'example.org/note': '"id":"a","id":1,{"id":7}', 'example.org/id': { id: 7 } } };
    const first = await answerTo(era, { method: 'tools/list', params, id: 7 });
    expect(await answerTo(era, { method: 'tools/list', params, id: 'b' })).toEqual(first);
    expect(await answerTo(era, { method: 'tools/list', params, id: 1 })).toEqual(first);
  });
});

it('keeps the answers of the two protocols apart', async () => {
  for (const _ of [1, 2]) {
    const { result: old } = await answerTo('2025', { method: 'tools/list', id: 1 });
    const { result: current } = await answerTo('2026', { method: 'tools/list', id: 1 });
    expect(current).toMatchObject({ ttlMs: 300_000, cacheScope: 'private', tools: old?.tools });
    expect(old).not.toHaveProperty('ttlMs');
  }
});

it.each([
  ['no version of JSON-RPC', { jsonrpc: undefined }],
  ['another version of JSON-RPC', { jsonrpc: '1.0' }],
  ['a key too many', { extra: 1 }],
  ['a fraction for an id', { id: 1.5 }],
  ['no object for its parameters', { params: null }],
])('refuses a message with %s, whether or not the list is remembered', async (_, change) => {
  const question = {
    jsonrpc: '2.0',
    id: 1,
    ...('params' in change ? { method: 'tools/list' } : fresh('tools/list')),
  };
  const right = async () => (await mcp(JSON.stringify(question))).status;
  const wrong = async () => (await mcp(JSON.stringify({ ...question, ...change }))).status;
  expect(await wrong()).toBe(400);
  expect(await right()).toBe(200);
  expect(await wrong()).toBe(400);
});

it('is worked out once for each question', async () => {
  const callerOf = vi.fn(() => everyone);
  const endpoint = mcpEndpoint(callerOf);
  const ask = async (method: string, id: number, params = {}) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const response = await endpoint(new Request(`${GATEWAY}/mcp`, { method: 'POST', headers, body }));
    expect(await messageIn(response)).toMatchObject({ id, result: {} });
    return callerOf.mock.calls.length;
  };
  const hello = { name: 'hello', arguments: {} };
  expect(await ask('tools/list', 1)).toBe(1);
  expect(await ask('tools/list', 2)).toBe(1);
  expect(await ask('tools/list', 3, { cursor: 'x' })).toBe(2);
  expect(await ask('tools/list', 4)).toBe(2);
  expect(await ask('tools/call', 5, hello)).toBe(3);
  expect(await ask('tools/call', 5, hello)).toBe(4);
});

describe('the cache', () => {
  const list = (id: string | number, params?: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/list',
    params,
  });
  const request = (headers: Record<string, string> = {}) => new Request(GATEWAY, { method: 'POST', headers });
  const answer = (id: unknown, result: object = { tools: [] }) =>
    JSON.stringify({ result, jsonrpc: '2.0', id });

  /** Has the cache keep an answer, and gives what it answers to the same question under another id. */
  async function roundTrip(text: string, init?: ResponseInit, body = list(1)) {
    const cache = new ListCache();
    const key = cache.keyOf(request(), body) ?? '';
    const kept = await cache.keep(key, body, new Response(text, init));
    const again = cache.answer(key, { ...body, id: 'again' });
    return { kept: await kept.text(), again: await again?.text() };
  }

  it('has a key for questions about lists and for nothing else', () => {
    const cache = new ListCache();
    expect(cache.keyOf(request(), list(1))).toBeDefined();
    for (const body of [
      { ...list(1), method: 'tools/call' },
      { ...list(1), method: 'resources/list' },
      { ...list(1), method: 'resources/read' },
      { ...list(1), id: undefined },
      { ...list(1), id: null },
      { ...list(1), id: { toString: 1 } },
      [list(1)],
      null,
      'tools/list',
    ]) {
      expect(cache.keyOf(request(), body)).toBeUndefined();
    }
  });

  it('has the same key for every id, and another for everything else that an answer can depend on', () => {
    const cache = new ListCache();
    const key = cache.keyOf(request(), list(1));
    expect(cache.keyOf(request(), list('2'))).toBe(key);
    const others = [
      cache.keyOf(request(), { ...list(1), method: 'prompts/list' }),
      cache.keyOf(request(), list(1, { cursor: 'a' })),
      cache.keyOf(request(), list(1, { _meta: { a: 1 } })),
      ...['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) =>
        cache.keyOf(request({ [name]: 'tools/list' }), list(1)),
      ),
    ];
    expect(new Set([key, ...others]).size).toBe(others.length + 1);
  });

  it('does not take a question without end for a key', () => {
    const cache = new ListCache();
    expect(cache.keyOf(request(), list(1, { cursor: 'x'.repeat(3_000) }))).toBeDefined();
    expect(cache.keyOf(request(), list(1, { cursor: 'x'.repeat(5_000) }))).toBeUndefined();
  });

  it.each([
    ['bare', answer(1)],
    ['as the only event of a stream', `event: message\ndata: ${answer(1)}\n\n`],
    ['with braces and line ends after it', `data: ${answer(1)}\n\n`],
  ])('remembers a result %s', async (_, text) => {
    const { kept, again } = await roundTrip(text);
    expect(kept.replace('"id":1', '"id":"again"')).toBe(again);
    expect(JSON.parse(kept.replace(/^[^{]*/, ''))).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
  });

  it.each([
    ['an error', JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: '{}' } })],
    ['an answer to somebody else', answer(2)],
    ['an answer whose id is of another type', answer('1')],
    ['an answer without an id', JSON.stringify({ jsonrpc: '2.0', result: {} })],
    ['a stream of two events', `data: ${answer(1)}\n\ndata: ${answer(1)}\n\n`],
    [
      'a stream that begins with progress',
      `data: {"method":"notifications/progress"}\n\ndata: ${answer(1)}\n\n`,
    ],
    ['an answer over several lines', JSON.stringify(JSON.parse(answer(1)), null, 2)],
    ['text', 'no braces here'],
    ['text in braces', 'data: {no json}'],
    ['text before braces', 'oops } { }'],
    ['a batch', `[${answer(1)}]`],
    ['nothing', ''],
  ])('passes on and does not remember %s', async (_, text) => {
    expect(await roundTrip(text)).toEqual({ kept: text, again: undefined });
  });

  it('does not remember what is not a success', async () => {
    expect(await roundTrip(answer(1), { status: 202 })).toEqual({ kept: answer(1), again: undefined });
  });

  it('forgets the oldest answer when it has 64', async () => {
    const cache = new ListCache();
    const bodies = Array.from({ length: 65 }, (_, i) => list(1, { cursor: String(i) }));
    const keys = bodies.map((body) => cache.keyOf(request(), body) ?? '');
    for (const [i, body] of bodies.entries()) await cache.keep(keys[i] ?? '', body, new Response(answer(1)));
    const remembered = bodies.map((body, i) => cache.answer(keys[i] ?? '', body) !== undefined);
    expect(remembered).toEqual([false, ...Array(64).fill(true)]);
  });
});
