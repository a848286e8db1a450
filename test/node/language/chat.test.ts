import { afterEach, describe, expect, it } from 'vitest';
import { type Chat, chatClient } from '../../../src/language/chat.ts';
import { chatBy } from '../../../src/language/settings.ts';
import { bodyOf, type WebServer, webServer } from '../../support/web-server.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

const says = (content: unknown, finish_reason: string | null = 'stop'): Reply => ({
  body: {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content } }],
  },
});
const fails = (status: number, headers = {}): Reply => ({
  status,
  headers,
  body: { error: { message: 'no' } },
});
const messages = [{ role: 'user', content: 'hello' }] as const;

let server: WebServer | undefined;
afterEach(() => server?.close());

/** A model that gives these replies, one after the other; the last again and again; `undefined` never comes. */
async function model(replies: readonly (Reply | undefined)[], base = '/v1') {
  const bodies: { path: string | undefined; key: string | undefined; json: Record<string, unknown> }[] = [];
  const waits: number[] = [];
  let clock = 0;
  server = await webServer(async (request, response) => {
    const json = JSON.parse(await bodyOf(request));
    bodies.push({ path: request.url, key: request.headers.authorization, json });
    const reply = replies[Math.min(bodies.length, replies.length) - 1];
    if (!reply) return;
    const { status = 200, headers = {}, body } = reply;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const wait = async (ms: number) => {
    waits.push(ms);
    clock += ms;
  };
  const chat: Chat = chatClient(
    { base: server.origin + base, key: 'sk-secret', model: 'm' },
    { fetch, wait, now: () => clock },
  );
  return { ask: (more = {}) => chat({ messages, timeoutMs: 60_000, ...more }), bodies, waits };
}

describe('a model', () => {
  it('is asked as OpenAI would be, and what it says comes back', async () => {
    const { ask, bodies } = await model([says(' Hi. ')]);
    expect(await ask({ maxTokens: 5, temperature: 0.5 })).toEqual({ kind: 'said', text: 'Hi.' });
    expect(bodies).toEqual([
      {
        path: '/v1/chat/completions',
        key: 'Bearer sk-secret',
        json: { model: 'm', messages, temperature: 0.5, stream: false, max_tokens: 5 },
      },
    ]);
  });

  it.each([
    ['', '/v1/chat/completions'],
    ['/', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/api/v3', '/api/v3/chat/completions'],
    ['/proxy', '/proxy/v1/chat/completions'],
  ])('is found with its base written as "%s"', async (base, path) => {
    const { ask, bodies } = await model([says('x')], base);
    await ask();
    expect(bodies[0]?.path).toBe(path);
  });

  it('may answer in parts, or think aloud before it answers', async () => {
    expect(
      await (
        await model([
          says([
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ]),
        ])
      ).ask(),
    ).toMatchObject({ text: 'ab' });
    await server?.close();
    expect(await (await model([says('<think>hm\nhm</think>\nyes')])).ask()).toMatchObject({ text: 'yes' });
  });

  it.each<[string, Reply, string]>([
    ['cut off', says('half', 'length'), 'ran out of room'],
    ['filtered', says('x', 'content_filter'), 'filter'],
    ['empty', says(''), 'said nothing'],
    ['only thoughts', says('<think>x</think>'), 'said nothing'],
    ['null', says(null), 'said nothing'],
    ['without choices', { body: { choices: [] } }, 'not understood'],
    ['a page', { body: '<html>' }, 'not understood'],
    ['of another shape', { body: { choices: [{ text: 'x' }] } }, 'not understood'],
    ['too long', { body: `"${'x'.repeat(4_000_001)}"` }, 'more than can be read'],
    ['a redirect', { status: 302, headers: { location: 'http://a.org/' }, body: '' }, 'HTTP 302'],
    [
      'a refusal',
      { status: 401, body: { error: { message: 'key sk-secret is wrong' } } },
      'key [key] is wrong',
    ],
    ['a plain error', { status: 404, body: { error: 'model not found' } }, 'model not found'],
  ])('that answers badly is a model error, asked once: %s', async (_, reply, words) => {
    const { ask, bodies } = await model([reply]);
    expect(await ask()).toMatchObject({
      kind: 'failed',
      code: 'model_error',
      message: expect.stringContaining(words),
    });
    expect(bodies).toHaveLength(1);
  });
});

describe('another try', () => {
  it.each([408, 429, 500, 502, 503, 529])('is made after %i', async (status) => {
    const { ask, waits } = await model([fails(status), fails(status), says('at last')]);
    expect(await ask()).toEqual({ kind: 'said', text: 'at last' });
    expect(waits).toEqual([500, 1_000]);
  });

  it('is made three times and no more', async () => {
    const { ask, bodies } = await model([fails(503)]);
    expect(await ask()).toMatchObject({ code: 'model_error', message: expect.stringContaining('HTTP 503') });
    expect(bodies).toHaveLength(3);
  });

  it.each([400, 401, 403, 404, 422])('is not made after %i', async (status) => {
    const { ask, bodies } = await model([fails(status)]);
    expect(await ask()).toMatchObject({ code: 'model_error' });
    expect(bodies).toHaveLength(1);
  });

  it('waits for as long as the service asks, in seconds or until a date', async () => {
    const inSeconds = await model([fails(429, { 'retry-after': '7' }), says('x')]);
    await inSeconds.ask();
    expect(inSeconds.waits).toEqual([7_000]);
    await server?.close();
    const untilDate = await model([fails(429, { 'retry-after': new Date(9_000).toUTCString() }), says('x')]);
    await untilDate.ask();
    expect(untilDate.waits).toEqual([9_000]);
  });

  it.each([
    ['longer than is reasonable', '21', 60_000],
    ['longer than there is time', '10', 10_000],
  ])('is left to the caller if the service asks for %s', async (_, retryAfter, timeoutMs) => {
    const { ask, waits } = await model([fails(429, { 'retry-after': retryAfter })]);
    expect(await ask({ timeoutMs })).toMatchObject({ code: 'model_error', retryAfter: Number(retryAfter) });
    expect(waits).toEqual([]);
  });
});

describe('time', () => {
  it('is up for a model that does not answer', async () => {
    const { ask } = await model([undefined]);
    expect(await ask({ timeoutMs: 100 })).toMatchObject({ kind: 'failed', code: 'timeout' });
    expect(await ask({ timeoutMs: 0 })).toMatchObject({ kind: 'failed', code: 'timeout' });
  });

  it('is up when the caller leaves, and nothing is asked again', async () => {
    const { ask, bodies, waits } = await model([undefined]);
    const stop = new AbortController();
    const asking = ask({ signal: stop.signal });
    stop.abort();
    expect(await asking).toMatchObject({ kind: 'failed' });
    expect(bodies.length + waits.length).toBeLessThanOrEqual(1);
  });
});

describe('settings', () => {
  it('name a model only together', () => {
    expect(chatBy({}, fetch)).toBeUndefined();
    expect(chatBy({ LANGUAGE_URL: 'http://localhost:1/v1' }, fetch)).toBeUndefined();
    expect(chatBy({ LANGUAGE_MODEL: 'm' }, fetch)).toBeUndefined();
    expect(chatBy({ LANGUAGE_URL: 'http://localhost:1/v1', LANGUAGE_MODEL: 'm' }, fetch)).toBeTypeOf(
      'function',
    );
  });

  it.each(['nonsense', 'file:///etc/passwd'])(
    'that name no service are told when it is asked: %s',
    async (base) => {
      const chat = chatBy({ LANGUAGE_URL: base, LANGUAGE_MODEL: 'm' }, fetch);
      expect(await chat?.({ messages, timeoutMs: 1 })).toMatchObject({ code: 'model_error' });
    },
  );

  it('are used with real pauses', async () => {
    let asked = 0;
    server = await webServer((_, response) => {
      asked += 1;
      const {
        status = 200,
        headers = {},
        body,
      } = asked === 1 ? fails(503, { 'retry-after': '0' }) : says('x');
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    const chat = chatBy({ LANGUAGE_URL: server.origin, LANGUAGE_MODEL: 'm' }, fetch);
    expect(await chat?.({ messages, timeoutMs: 5_000 })).toEqual({ kind: 'said', text: 'x' });
  });
});
