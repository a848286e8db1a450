import { describe, expect, it } from 'vitest';
import { ListCache } from '../../../src/surfaces/list-cache.ts';

describe('the cache of lists', () => {
  const list = (id: string | number, params?: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/list',
    params,
  });
  const request = (headers: Record<string, string> = {}) =>
    new Request('http://localhost/mcp', { method: 'POST', headers });
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
