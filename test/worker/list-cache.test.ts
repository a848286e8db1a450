import { describe, expect, it, vi } from 'vitest';
import { bySdk, counted } from './counted-sdk.ts';
import { type Era, GATEWAY, mcp, mcpEndpoint, messageIn, type Rpc, rpc } from './http.ts';

vi.mock(import('../../src/surfaces/mcp-handler.ts'), async (load) => counted(await load()));

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
  const { 'content-length': length, ...headers } = Object.fromEntries(response.headers);
  // A length that is wrong would cut the answer.
  if (length !== undefined) expect(Number(length)).toBe(new TextEncoder().encode(text).byteLength);
  const { id, result } = await messageIn(response);
  expect(id).toBe(request.id);
  const spelt = `"id":${JSON.stringify(request.id)}`;
  expect(text.split(spelt), 'the id occurs once').toHaveLength(2);
  return {
    bytes: text.replace(spelt, () => '"id":?'),
    headers,
    result,
  };
}

/** A question nobody asked before, so that its first answer is surely worked out and not remembered. */
let asked = 0;
const fresh = (method: string, params: Record<string, unknown> = {}): Rpc => {
  asked += 1;
  return { method, params: { ...params, 'example.org/asked': `question ${asked}` } };
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
  ['no name of its progress', { params: { _meta: { progressToken: 1.5 } } }],
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
  const endpoint = mcpEndpoint();
  const before = bySdk.mock.calls.length;
  const ask = async (method: string, id: number, params = {}) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const response = await endpoint(new Request(`${GATEWAY}/mcp`, { method: 'POST', headers, body }));
    // A cursor that no list gave is refused.
    expect(await messageIn(response)).toMatchObject({
      id,
      ...('cursor' in params ? { error: {} } : { result: {} }),
    });
    return bySdk.mock.calls.length - before;
  };
  const hello = { name: 'hello', arguments: {} };
  expect(await ask('tools/list', 1)).toBe(1);
  expect(await ask('tools/list', 2)).toBe(1);
  expect(await ask('tools/list', 3, { cursor: 'x' })).toBe(2);
  expect(await ask('tools/list', 4)).toBe(2);
  expect(await ask('tools/call', 5, hello)).toBe(2);
  expect(await ask('tools/call', 6, { ...hello, _meta: { progressToken: 1 } })).toBe(2);
  // What clients count up with each request changes no list.
  expect(await ask('tools/list', 7, { _meta: { progressToken: 7 } })).toBe(3);
  expect(await ask('tools/list', 8, { _meta: { progressToken: 8 } })).toBe(3);
  expect(await ask('tools/list', 9, { _meta: { progressToken: 'x', 'example.org/call': 9 } })).toBe(3);
});
