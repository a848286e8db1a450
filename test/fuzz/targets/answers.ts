import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hello } from '../../../contracts/hello.ts';
import { searchWeb } from '../../../contracts/web.ts';
import { ADMITTED, NO_LEDGER } from '../../../src/core/admit.ts';
import type { Caller } from '../../../src/core/call.ts';
import type { Door } from '../../../src/core/invoke.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { rest } from '../../../src/surfaces/rest.ts';
import { sayHello } from '../../../src/tools/hello.ts';
import { searchBy } from '../../../src/web/search/search.ts';
import { everyone } from '../../support/tools.ts';
import { bytesIn, mixedJson, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const FOUND = {
  object: 'search',
  results: [{ title: 'A <b>b</b>', url: 'https://a.example/', snippet: 's', date: '2024-01-01' }],
};
const ANSWERS = [
  FOUND,
  {
    results: [{ url: 'https://b.example', content: 'c', publishedDate: null }],
    unresponsive_engines: [['a', 'b']],
  },
  { result: { items: [{ url: 'http://c.example/x', description: 'd', lastModifiedDate: '1' }] } },
  { error: { message: 'Search tool x not found', type: 't', code: '500' } },
];

const search = target({
  name: 'search-answers',
  // Begins with the status: 200 and so on.
  seeds: ANSWERS.map((answer, i) => `${i === 3 ? 500 : 200}${JSON.stringify(answer)}`),
  grammar: fc
    .tuple(fc.constantFrom(200, 200, 200, 400, 401, 403, 404, 422, 429, 500, 504), mixedJson(ANSWERS))
    .map((parts) => parts.join('')),
  words: [
    '"url":"javascript:1"',
    '"title":null',
    '"snippet":"😀',
    '"url":"https://a"',
    '<b>',
    '</b>',
    '"results":{}',
    'sk-abc Bearer x',
    '\\ud800',
    '<em <em',
    '429',
    'a'.repeat(500),
    '😀'.repeat(200),
  ],
  parse: async (input) => {
    const status = Number(/^[2-5]\d\d/.exec(input)?.[0] ?? 200);
    const body = status === 204 || status === 205 || status === 304 ? null : input.slice(3);
    const fetch = async () => new Response(body, { status });
    const ai = { websearch: fetch };
    const settings = {
      LITELLM_URL: 'http://l',
      LITELLM_KEY: 'k',
      LITELLM_SEARCH_TOOL: 'x',
      SEARXNG_URL: 'http://s',
    };
    const ask = (SEARCH_BACKEND: string) =>
      searchBy({ ...settings, SEARCH_BACKEND }, { fetch, ai })({ query: 'q', maxResults: 5 });
    return Promise.all(['litellm', 'searxng', 'cloudflare'].map(ask));
  },
  properties: {
    'what was found is what the tool promises': (answers) => {
      for (const answer of answers) {
        if (answer.kind !== 'found') continue;
        assert.ok(searchWeb.output.safeParse({ results: answer.results }).success, JSON.stringify(answer));
        assert.ok(answer.results.length <= 5);
        for (const { url, title, snippet } of answer.results) {
          assert.match(new URL(url).protocol, /^https?:$/);
          assert.ok(!/\n/.test(title + snippet));
        }
      }
    },
    'what failed says how, and no key': (answers) => {
      for (const answer of answers) {
        if (answer.kind !== 'failed') continue;
        assert.ok(Object.hasOwn(searchWeb.errors, answer.code), answer.code);
        assert.ok(!/\bsk-\S/.test(answer.message ?? ''), answer.message);
      }
    },
    'texts are well-formed if what came was': (answers, input) => {
      if (input.isWellFormed() && !/\\u[dD]/.test(input)) {
        for (const answer of answers)
          for (const text of textsOf(answer)) assert.ok(text.isWellFormed(), JSON.stringify(text));
      }
    },
  },
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const reported: unknown[] = [];
const door: Door = {
  newCallId: () => 'call',
  ...NO_LEDGER,
  admit: () => ADMITTED,
  report: (error) => void reported.push(error),
};
const tools = toolSet({ hello }, { hello: sayHello }, door, { clock: { now: () => new Date(0) } });
const caller: Caller = { ...everyone, via: 'mcp' };
const mcp = mcpOverHttp({ tools, report: (error) => void reported.push(error) });
const api = rest({
  tools,
  callerOf: async () => caller,
  anybody: caller,
  challenges: { unauthorized: () => 'Bearer', insufficientScope: () => 'Bearer' },
});

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'hello', arguments: { name: 'Ada' } },
};
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
};
const MESSAGES = [
  call,
  { ...call, params: { ...call.params, _meta: modern } },
  { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { _meta: { ...modern, progressToken: 1 } } },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 3, method: 'server/discover', params: { _meta: modern } },
];
const RPC = [
  '"method":"tools/call"',
  '"id":null',
  '"id":{}',
  '"params":[]',
  '"jsonrpc":"1.0"',
  '"_meta":{}',
  '"name":"hello"',
  '[',
  ']',
  '"__proto__":{}',
  '"progressToken":"x"',
  '"cursor":"x"',
];

const mcpBody = target({
  name: 'mcp-body',
  isBinary: true,
  // Begins with the era of the protocol.
  seeds: MESSAGES.map((message, i) => `${i % 2 === 0 && i !== 2 ? 5 : 6}${utf8(JSON.stringify(message))}`),
  grammar: fc.tuple(fc.constantFrom('5', '6'), mixedJson(MESSAGES)).map(([era, text]) => era + utf8(text)),
  words: RPC,
  parse: async (input) => {
    reported.length = 0;
    const body = bytesIn(input.slice(1));
    const method = /"method":"([\w/]+)"/.exec(input)?.[1] ?? 'tools/list';
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(input[0] === '6'
        ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'hello' }
        : { 'mcp-protocol-version': '2025-11-25' }),
    };
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers,
      body: body as Uint8Array<ArrayBuffer>,
    });
    const response = await mcp(request, caller);
    return { status: response.status, text: await response.text(), wrong: [...reported] };
  },
  properties: {
    'whatever is sent, the fault is the sender’s': ({ status, wrong }) => {
      assert.ok(status < 500, String(status));
      assert.deepEqual(wrong, []);
    },
    'an answer is JSON-RPC, and never says what went wrong inside': ({ text, status }) => {
      if (text === '' || status === 202) return;
      const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
      const said = JSON.parse(json) as { jsonrpc?: string; error?: { code: number; message: string } };
      assert.equal(said.jsonrpc, '2.0');
      assert.ok(!/ at \w+|node_modules|\.ts:\d/.test(said.error?.message ?? ''), said.error?.message);
    },
  },
});

const restBody = target({
  name: 'rest-body',
  isBinary: true,
  seeds: ['{"name":"Ada"}', '', '{}'],
  grammar: mixedJson([{ name: 'Ada' }, {}]).map(utf8),
  words: ['"name":"', '"\\u0061"', '"name":1', '[', '{', '\xff', '\xef\xbb\xbf', '"__proto__":{"name":"x"}'],
  parse: async (input) => {
    reported.length = 0;
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: bytesIn(input) as Uint8Array<ArrayBuffer>,
    };
    const response = await api.request('/tools/hello', init);
    return {
      status: response.status,
      said: (await response.json()) as Record<string, unknown>,
      wrong: [...reported],
    };
  },
  properties: {
    'it is done as it was asked, or refused in the shape of every failure': ({ status, said, wrong }) => {
      assert.deepEqual(wrong, []);
      if (status === 200) assert.ok(hello.output.safeParse(said).success);
      else {
        assert.ok([400, 413, 415].includes(status), String(status));
        assert.ok(said.code && said.message && said.suggestion);
      }
    },
  },
});

export const answers: readonly Target[] = [search, mcpBody, restBody];
