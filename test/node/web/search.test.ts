import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Output } from '../../../contracts/contract.ts';
import { searchWeb } from '../../../contracts/web.ts';
import { searchTheWeb } from '../../../src/tools/web-search.ts';
import type { AiBinding, SearchSettings } from '../../../src/web/search/backend.ts';
import { makeWebPorts } from '../../../src/web/web-ports.ts';
import { answerAsLiteLlm, LITELLM_KEY, LITELLM_TOOL } from '../../support/litellm.ts';
import { SOON_MS } from '../../support/soon.ts';
import { failureIn } from '../../support/tools.ts';
import { type WebServer, webServer } from '../../support/web-server.ts';
import { use } from '../../support/web-tools.ts';

let litellm: WebServer;
let searxng: WebServer;
let settings: SearchSettings;
let searxAnswer: { status: number; body: string; headers?: Record<string, string> };

beforeAll(async () => {
  litellm = await webServer((request, response) => void answerAsLiteLlm(request, response));
  searxng = await webServer((_, response) =>
    response.writeHead(searxAnswer.status, searxAnswer.headers ?? {}).end(searxAnswer.body),
  );
  settings = { LITELLM_URL: litellm.origin, LITELLM_KEY, LITELLM_SEARCH_TOOL: LITELLM_TOOL };
});
afterAll(() => Promise.all([litellm.close(), searxng.close()]));

const search = (query: string, more: SearchSettings = {}, max_results?: number, ai?: AiBinding) => {
  const ports = makeWebPorts({ ...settings, ...more }, { guarded: fetch, open: fetch, ai });
  return use(searchWeb, searchTheWeb, { query, ...(max_results ? { max_results } : {}) }, ports);
};
const results = async (...args: Parameters<typeof search>) => {
  const result = await search(...args);
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
  return (result.output as Output<typeof searchWeb>).results;
};
const failure = async (...args: Parameters<typeof search>) => failureIn(await search(...args));

describe('through LiteLLM', () => {
  it('finds pages, without what else its providers say, and marks them as written by others', async () => {
    const result = await search('knots', {}, 2);
    expect(result).toEqual({
      kind: 'ok',
      output: {
        results: [
          {
            title: 'Model Context Protocol',
            url: 'https://modelcontextprotocol.io/',
            snippet: 'An open protocol that connects models to tools and data.',
            date: '2026-01-09',
          },
          { title: 'Result 2', url: 'https://example.com/2', snippet: 'A passage.', date: '2026-01-09' },
        ],
      },
      meta: { untrusted: expect.any(String) },
      form: { texts: [], saidTwice: new Set() },
    });
  });

  it.each([
    [1, 1, false],
    [20, 20, false],
    [21, 20, true],
    [25, 20, true],
  ])('asks for no more than it gives, and says so: %i', async (asked, given, isSaid) => {
    const result = await search('knots', {}, asked);
    expect(result.kind === 'ok' && (result.output as Output<typeof searchWeb>).results.length).toBe(given);
    const note = `LiteLLM gives at most 20 results; ${asked} were asked for.`;
    expect(result.kind === 'ok' && result.meta?.note).toBe(isSaid ? note : undefined);
  });

  it('leaves out what is no page', async () => {
    expect(await results('odd')).toEqual([{ title: 'https://a.org/', url: 'https://a.org/', snippet: '' }]);
  });

  it.each(['/', '/v1', '/v1/'])('is found with its address written as …%s', async (path) => {
    expect(await results('knots', { LITELLM_URL: litellm.origin + path }, 1)).toHaveLength(1);
  });

  it.each([
    ['refused words', 'invalid_query', 400, 'rejects this query'],
    ['too often', 'upstream_failure', 502, 'too often'],
    ['broken page', 'upstream_failure', 502, 'HTTP 502'],
    ['wrong page', 'upstream_failure', 502, 'not a search result'],
    ['moved', 'upstream_failure', 502, 'no search at that address'],
    ['slow provider', 'timeout', 504, 'gave up waiting'],
  ])('fails in words: %s', async (query, code, http_status, words) => {
    expect(await failure(query)).toMatchObject({
      code,
      http_status,
      message: expect.stringContaining(words),
    });
  });

  it('says when to come back', async () => {
    expect(await failure('too often')).toMatchObject({ retry_after: 17 });
  });

  it('names a search tool that is not there, which LiteLLM calls an internal error', async () => {
    expect(await failure('knots', { LITELLM_SEARCH_TOOL: 'a/b?c' })).toMatchObject({
      code: 'upstream_failure',
      message: 'LiteLLM has no search tool called "a/b?c".',
      suggestion: expect.stringContaining('LITELLM_SEARCH_TOOL'),
    });
  });

  it('names the key that is refused, and shows none', async () => {
    const refused = await failure('knots', { LITELLM_KEY: 'sk-wrong' });
    expect(refused).toMatchObject({
      code: 'upstream_failure',
      suggestion: expect.stringContaining('LITELLM_KEY'),
    });
    expect(JSON.stringify([refused, await failure('leaky')])).not.toMatch(/sk-wrong|abcdef|xyz/);
  });

  it('is not waited for longer than a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const searching = failure('never');
      await vi.waitUntil(() => litellm.asked.length > 0, { timeout: SOON_MS, interval: 1 });
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await searching).toMatchObject({
        code: 'timeout',
        message: 'LiteLLM did not answer within 15 s.',
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is told apart when nobody answers', async () => {
    const gone = await webServer();
    await gone.close();
    expect(await failure('knots', { LITELLM_URL: gone.origin })).toMatchObject({
      code: 'upstream_failure',
      message: 'LiteLLM cannot be reached.',
    });
  });
});

describe('through SearXNG', () => {
  const of = (status: number, body: unknown, headers?: Record<string, string>) => {
    searxAnswer = {
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(headers ? { headers } : {}),
    };
    return { SEARCH_BACKEND: 'searxng', SEARXNG_URL: `${searxng.origin}/searx/` };
  };

  it('finds pages', async () => {
    const list = Array.from({ length: 30 }, (_, i) => ({
      title: `${i}`,
      url: `https://a.org/${i}`,
      content: 'text',
      publishedDate: i ? null : '2026-01-09T00:00:00',
      engine: 'x',
    }));
    const found = await results(
      'a&b=c d',
      of(200, { query: 'x', results: list, unresponsive_engines: [] }),
      25,
    );
    expect(found).toHaveLength(25);
    expect(found.slice(0, 2)).toEqual([
      { title: '0', url: 'https://a.org/0', snippet: 'text', date: '2026-01-09T00:00:00' },
      { title: '1', url: 'https://a.org/1', snippet: 'text' },
    ]);
    expect(searxng.asked.at(-1)).toBe('GET /searx/search?q=a%26b%3Dc+d&format=json');
  });

  it('finds nothing where there is nothing', async () => {
    expect(await results('x', of(200, { results: [], unresponsive_engines: [] }))).toEqual([]);
  });

  it.each([
    [403, 'Forbidden', 'upstream_failure', 'search.formats'],
    [429, 'Too Many', 'upstream_failure', ''],
    [400, 'Bad', 'invalid_query', ''],
    [500, '<html>', 'upstream_failure', ''],
    [200, '<html>', 'upstream_failure', ''],
    [200, { results: [], unresponsive_engines: [['google', 'CAPTCHA']] }, 'upstream_failure', 'engines'],
  ])('fails in words: %i %j', async (status, body, code, advice) => {
    expect(await failure('x', of(status, body, { 'retry-after': '5' }))).toMatchObject({
      code,
      suggestion: expect.stringContaining(advice),
    });
  });
});

describe('through Cloudflare', () => {
  const backend = { SEARCH_BACKEND: 'cloudflare', AI_GATEWAY_ID: 'mine' };
  const item = {
    title: 'T',
    url: 'https://a.org/',
    description: 'D',
    lastModifiedDate: '2025-11-30T04:39:48',
  };
  const expected = [{ title: 'T', url: 'https://a.org/', snippet: 'D', date: '2025-11-30T04:39:48' }];

  it.each([
    ['results', { results: [item] }],
    ['items', { items: [item], metadata: {} }],
    ['an envelope', { success: true, result: { results: [item] } }],
  ])('finds pages, sent as %s', async (_, body) => {
    const websearch = vi.fn(async () => Response.json(body));
    expect(await results('knots', backend, 25, { websearch })).toEqual(expected);
    expect(websearch).toHaveBeenCalledWith({ gatewayId: 'mine', query: 'knots', limit: 20 });
  });

  it.each<[string, () => Promise<Response>]>([
    ['an error', async () => Response.json({ errors: [] }, { status: 403 })],
    ['a page', async () => new Response('<html>')],
    ['an exception', () => Promise.reject(new Error('no such gateway'))],
  ])('fails in words at %s', async (_, websearch) => {
    expect(await failure('knots', backend, 1, { websearch })).toMatchObject({
      code: 'upstream_failure',
      suggestion: expect.stringContaining('AI_GATEWAY_ID'),
    });
  });

  it('is not waited for longer than a while', async () => {
    vi.useFakeTimers();
    try {
      const searching = failure('knots', backend, 1, { websearch: () => new Promise(() => {}) });
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await searching).toMatchObject({ code: 'timeout' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('settings', () => {
  const none = { LITELLM_URL: '', LITELLM_KEY: '', LITELLM_SEARCH_TOOL: '' };

  it.each<[SearchSettings, string]>([
    [none, 'LITELLM_URL'],
    [{ ...none, SEARCH_BACKEND: 'bing' }, 'SEARCH_BACKEND'],
    [{ ...none, SEARCH_BACKEND: 'litellm' }, 'LITELLM_URL'],
    [{ LITELLM_SEARCH_TOOL: '' }, 'LITELLM_SEARCH_TOOL'],
    [{ LITELLM_URL: 'file:///etc/passwd' }, 'LITELLM_URL'],
    [{ LITELLM_URL: 'nonsense' }, 'LITELLM_URL'],
    [{ ...none, SEARCH_BACKEND: 'searxng' }, 'SEARXNG_URL'],
    [{ ...none, SEARXNG_URL: 'nonsense' }, 'SEARXNG_URL'],
    [{ ...none, SEARCH_BACKEND: 'cloudflare' }, 'AI binding'],
  ])('that are missing are named: %j', async (more, name) => {
    expect(await failure('knots', more)).toMatchObject({
      code: 'not_configured',
      http_status: 503,
      suggestion: expect.stringContaining(name),
    });
  });

  it('need not name the backend if only one is set', async () => {
    searxAnswer = { status: 200, body: '{"results":[]}' };
    expect(await results('x', { ...none, SEARXNG_URL: searxng.origin })).toEqual([]);
    const ai = { websearch: async () => Response.json({ results: [] }) };
    expect(await results('x', none, 1, ai)).toEqual([]);
  });
});

it.each(['', ' \n\t', 'x'.repeat(2_001)])(
  'a query that says nothing or too much is refused',
  async (query) => {
    expect(await failure(query)).toMatchObject({ code: 'invalid_query', http_status: 400 });
  },
);
