import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AnyContract } from '../../../contracts/contract.ts';
import { joinedErrors } from '../../../contracts/host.ts';
import type { Result } from '../../../src/core/call.ts';
import type { Call } from '../../../src/core/handler.ts';
import { hasUnseen } from '../../../src/core/visible.ts';
import { type Conformity, conformAll, type ServerTool } from '../../../src/joined/conform.ts';
import { withHttpServer } from '../../../src/joined/http-server.ts';
import { joinedContract } from '../../../src/joined/joined-contract.ts';
import { joinedName } from '../../../src/joined/names.ts';
import { joinedResult } from '../../../src/joined/result.ts';
import { MAX_SCHEMA_BYTES } from '../../../src/joined/schema.ts';
import { mixedJson, texts, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const tool = {
  name: 'play',
  title: 'Play',
  description: 'Plays a song.',
  inputSchema: {
    type: 'object',
    properties: { song: { type: 'string', description: 'Which.' }, n: { $ref: '#/$defs/n' } },
    $defs: { n: { type: 'integer' } },
    required: ['song'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      list: { type: 'array', items: { anyOf: [{ type: 'number' }, { enum: ['a', null] }] } },
    },
  },
};
const LIST = [tool, { ...tool, name: 'stop', outputSchema: { type: 'object' } }];
const SCHEMA = [
  ...[
    '"$ref":"#"',
    '"$ref":"#/properties/song"',
    '"$ref":"#/%"',
    '"$ref":"#/$defs/n"',
    '"allOf":[{}]',
    '"not":{}',
    '"if":{}',
    '"type":["object"]',
  ],
  ...[
    '"properties":{"__proto__":{}}',
    '"patternProperties":{"(a+)+$":{}}',
    '"pattern":"("',
    '"required":["x"]',
    '"enum":[{}]',
    '"const":null',
    '"items":[]',
  ],
  ...[
    '"minimum":1e400',
    '"multipleOf":0',
    '"$id":"http://x"',
    '"$schema":"y"',
    '"dependencies":{"a":["b"]}',
    '"\\u202e"',
    '"description":5',
    '"additionalProperties":true',
  ],
  ...[
    '"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}',
    '"format":"regex"',
    '"maxLength":-1',
    '"type":"nothing"',
    'true',
  ],
];

const tools = target({
  name: 'joined-tools',
  seeds: [JSON.stringify(LIST), JSON.stringify([tool, tool]), '[null,1,"a",{}]'],
  grammar: mixedJson([
    LIST,
    [{ ...tool, inputSchema: { type: 'object', properties: { a: { items: tool.inputSchema } } } }],
  ]),
  words: SCHEMA,
  refuses: [SyntaxError],
  parse: (input): Conformity => {
    const listed: unknown = JSON.parse(input);
    if (!Array.isArray(listed)) throw new SyntaxError('It is no list.');
    return conformAll('player', listed);
  },
  properties: {
    'a tool that is offered keeps to what clients take': ({ tools: offered }) => {
      for (const { name, title, description, inputSchema, outputSchema } of offered) {
        assert.match(joinedName('player', name), /^[a-zA-Z0-9_-]{1,64}$/);
        assert.ok(description !== '' && !hasUnseen(description) && !hasUnseen(title));
        for (const schema of [inputSchema, outputSchema]) {
          assert.equal(schema.type, 'object');
          assert.ok(Buffer.byteLength(JSON.stringify(schema)) <= MAX_SCHEMA_BYTES + 200);
        }
        assert.equal(inputSchema.additionalProperties, false);
      }
    },
    'no two have one name, and what is left out says why': ({ tools: offered, leftOut }) => {
      assert.equal(new Set(offered.map(({ name }) => name)).size, offered.length);
      for (const { name, reasons } of leftOut)
        assert.ok(reasons.length > 0 && !hasUnseen(name + reasons.join('')));
    },
    'what was made harmless stays as it is': ({ tools: offered }) => {
      const again = conformAll(
        'player',
        offered.map(({ flags, hash, ...said }) => ({ ...said, flags, hash })),
      );
      assert.deepEqual(
        again.tools.map(({ hash }) => hash),
        offered.map(({ hash }) => hash),
      );
    },
    'any arguments can be held against its schema': ({ tools: offered }) => {
      for (const one of offered) contractOf(one).input.safeParse({ song: 'a', n: 1, x: [{}] });
    },
  },
});

const contractOf = (one: ServerTool) =>
  joinedContract({ server: 'player', tool: one, grade: null, machine: null });
const [first] = conformAll('player', LIST).tools;
if (!first) throw new Error('The tool of this file is no longer offered.');
const contract = contractOf(first);
const asked = {
  ok: (output: unknown): Result => ({ kind: 'ok', output }),
  fail: (code: keyof typeof joinedErrors, detail: object): Result => {
    const failure = { code, http_status: 502, message: '', suggestion: '', ...detail };
    return { kind: 'failed', failure };
  },
} as unknown as Call<AnyContract>;

const ANSWERS = [
  { structuredContent: { text: 'a', list: [1, null] }, content: [{ type: 'text', text: 'a' }] },
  { isError: true, content: [{ type: 'text', text: 'it broke' }] },
  { structuredContent: { text: 5 } },
  { resultType: 'input_required', inputRequests: [] },
];

const results = target({
  name: 'joined-results',
  seeds: ANSWERS.map((answer) => JSON.stringify(answer)),
  grammar: mixedJson(ANSWERS),
  words: [
    '"isError":true',
    '"structuredContent":',
    '"content":[{}]',
    '"\\u202e"',
    '"text":',
    '['.repeat(45),
    ']'.repeat(45),
    '"__proto__":{"isError":true}',
    'null',
  ],
  refuses: [SyntaxError],
  parse: (input) => joinedResult(contract, JSON.parse(input), asked),
  properties: {
    'what is passed on keeps to what the tool promises': (result) => {
      if (result.kind === 'ok') assert.ok(contract.output.safeParse(result.output).success);
    },
    'what does not is marked, and shows nothing unseen': (result) => {
      if (result.kind !== 'failed') return;
      const { code, message, raw = '' } = result.failure;
      assert.ok(Object.hasOwn(joinedErrors, code), code);
      assert.ok(!hasUnseen(message) && !/(?![\t\n])\p{Cc}|\p{Cf}/u.test(raw));
      if (code === 'unparsed_result') assert.ok(raw.includes('unread'));
    },
  },
});

const greeting = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 's', version: '1' },
  },
});

/** Greets a server that answers everything with the same, and gives up once that was read. */
async function greet(type: string, body: string): Promise<'greeted' | 'not greeted'> {
  const over = new AbortController();
  // Whoever looks is told that it is over, so that no second try is made after a pause.
  let isAsked = false;
  Object.defineProperty(over.signal, 'aborted', { get: () => isAsked });
  const fetch = async () => {
    isAsked = true;
    // Long enough to be read.
    void turns(400).then(() => over.abort(new Error('It said no more.')));
    return new Response(Buffer.from(body, 'latin1'), { headers: { 'content-type': type } });
  };
  try {
    await withHttpServer({ url: 'https://joined.example/mcp' }, fetch, over.signal, async () => undefined);
    return 'greeted';
  } catch (error) {
    // The caller makes a sentence of whatever it is.
    if (!(error instanceof Error)) throw new TypeError('What was thrown is no error.', { cause: error });
    return 'not greeted';
  }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await null;
}

const http = target({
  name: 'joined-http',
  isBinary: true,
  seeds: [
    `text/event-stream\nevent: message\nid: 1\ndata: ${greeting}\n\n`,
    `application/json\n${greeting}`,
    'text/html\n<p>',
  ],
  grammar: fc
    .tuple(
      fc.constantFrom('text/event-stream', 'application/json', 'text/plain'),
      texts(['data: ', '\n', '\n\n', greeting, 'event: message', 'retry: 1', ': ', '{', '}', '\r'], 10),
    )
    .map(([type, body]) => utf8(`${type}\n${body}`)),
  words: [
    'data:',
    '\n\n',
    '\r\n',
    'id: \0',
    'retry: -1',
    'event: ',
    '"id":1',
    '"error":{"code":1}',
    '"result":null',
    '[',
    ']',
    '"method":"ping"',
    '\xff',
  ],
  parse: (input) => {
    const end = input.indexOf('\n');
    return greet(input.slice(0, Math.max(0, end)).replace(/[^ -~]/g, '') || 'x', input.slice(end + 1));
  },
  properties: {
    'nobody is greeted who did not say who they are': (is, input) => {
      if (is === 'greeted') assert.ok(/protocolVersion/.test(input) && /serverInfo/.test(input));
    },
  },
});

export const joined: readonly Target[] = [tools, results, http];
