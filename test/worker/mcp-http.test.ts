import { describe, expect, it } from 'vitest';
import type { Scope } from '../../contracts/contract.ts';
import { everyone } from '../support/tools.ts';
import {
  chunked,
  type Era,
  GATEWAY,
  MIB_4,
  mcp,
  mcpEndpoint,
  messageIn,
  padded,
  type Rpc,
  rpc,
  sendMcp,
} from './http.ts';

const eras: Era[] = ['2025', '2026'];
const sayHello: Rpc = { method: 'tools/call', params: { name: 'hello', arguments: { name: 'Ada' } } };

/** A whole message as text, for bodies that have to be wrong in one exact place. */
const callText = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":${args}}}`;

async function expectHello() {
  const { result } = await messageIn(await rpc('2025', sayHello));
  expect(result?.structuredContent).toMatchObject({ greeting: 'Hello, Ada!' });
}

async function expectRefused(response: Response, status: number, code: number, message: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code, message }, id: null });
}

describe.each(eras)('MCP over HTTP in the protocol of %s', (era) => {
  it('calls a tool', async () => {
    const response = await rpc(era, { ...sayHello, id: 'call' });
    expect(response.status).toBe(200);
    const { id, result } = await messageIn(response);
    expect(id).toBe('call');
    const output = { greeting: 'Hello, Ada!', message: 'Hello, Ada!', timestamp: expect.any(String) };
    expect(result?.structuredContent).toEqual(output);
    expect(result?.content).toEqual([{ type: 'text', text: JSON.stringify(result?.structuredContent) }]);
    expect(result?.isError).toBe(false);
  });

  it('answers arguments that do not fit with an error that the model can read', async () => {
    const params = { name: 'hello', arguments: { nam: 'Ada' } };
    const response = await rpc(era, { method: 'tools/call', params });
    expect(response.status).toBe(200);
    const { result } = await messageIn(response);
    const message = '`nam` is not a field of this tool; did you mean `name`?';
    const suggestion = "Compare the arguments with the tool's input schema and call again.";
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: `Error: ${message}\n${suggestion}` }],
      _meta: { 'dev.bowline/error': { code: 'invalid_input', http_status: 400, message, suggestion } },
    });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('answers a tool that does not exist with a protocol error that names the nearest', async () => {
    const { error } = await messageIn(await rpc(era, { method: 'tools/call', params: { name: 'helo' } }));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Did you mean hello?') });
  });

  it('lists tools by wire name, with all four hints and the risk of each', async () => {
    const { result } = await messageIn(await rpc(era, { method: 'tools/list' }));
    const tools = result?.tools as { name: string; annotations: object; _meta: object }[];
    const hello = tools.find(({ name }) => name === 'hello');
    expect(hello?.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(hello?._meta).toEqual({ 'dev.bowline/risk': 'read_only' });
  });
});

describe('a method other than POST', () => {
  it.each(['GET', 'PUT', 'DELETE', 'HEAD'])('is 405: %s', async (method) => {
    const response = await sendMcp({ method, headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

describe('a body that is refused', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'is 415 if it is sent as %j',
    async (type) => {
      const message = 'Unsupported Media Type: Content-Type must be application/json';
      // Such a body is not read, so it does not matter what is in it.
      for (const body of [callText('{}'), '{', `${'['.repeat(100_000)}`]) {
        await expectRefused(await mcp(body, { 'content-type': type }), 415, -32000, message);
      }
    },
  );

  it.each([
    ['two messages', `[${callText('{}')},${callText('{}')}]`],
    ['one message', `[${callText('{}')}]`],
    ['no message', '[]'],
  ])('is 400 if it is a batch of %s', async (_, body) => {
    const message = 'Batches are not accepted; send one message a request.';
    await expectRefused(await mcp(body), 400, -32600, message);
  });

  const depth = 'The JSON is nested more than 34 deep.';
  const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it.each<[string, BodyInit, string]>([
    ['empty', '', 'This is not valid JSON.'],
    ['cut off', callText('{').slice(0, -2), 'This is not valid JSON.'],
    [
      'with a key twice in the arguments',
      callText('{"name":"a","name":"b"}'),
      'The key "name" occurs twice in one object.',
    ],
    [
      'with a key twice in the message',
      '{"jsonrpc":"2.0","id":1,"\\u0069d":2}',
      'The key "id" occurs twice in one object.',
    ],
    ['with half of a pair', callText('{"name":"\\udead"}'), 'A string holds half of a surrogate pair.'],
    [
      'with an unsafe integer',
      callText('{"name":1e300}'),
      'The number 1e300 is too large to be exact; send it as a string.',
    ],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'The body is not valid UTF-8.'],
    ['with arguments 33 levels deep', callText(nested(33)), depth],
    ['100,000 brackets deep', '['.repeat(100_000), depth],
    ['100,000 brackets deep in its arguments', callText(nested(100_000)), depth],
  ])('is 400 if it is %s, and the next call works', async (_, body, message) => {
    await expectRefused(await mcp(body), 400, -32700, message);
    await expectHello();
  });

  it('is not refused for arguments 32 levels deep, which is what a tool may be given', async () => {
    const { result } = await messageIn(await mcp(callText(nested(32))));
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'dev.bowline/error': { code: 'invalid_input' } },
    });
  });
});

describe('a large body', () => {
  const exact = padded(callText('{"name":"Ada"}'), MIB_4);

  it('is taken up to 4 MiB, with and without a declared length', async () => {
    for (const body of [exact, chunked(exact)]) {
      const { result } = await messageIn(await mcp(body));
      expect(result?.structuredContent).toMatchObject({ greeting: 'Hello, Ada!' });
    }
  });

  it.each([
    ['declared', () => `${exact} `],
    ['not declared', () => chunked(`${exact} `)],
  ])('is 413 one byte later, its length %s, and the next call works', async (_, body) => {
    await expectRefused(await mcp(body()), 413, -32000, 'The request body is over 4194304 bytes.');
    await expectHello();
  });
});

describe('a caller who was not granted what a tool needs', () => {
  const endpoint = mcpEndpoint({
    insufficientScope: (held, needed) => `Bearer scope="${[...held, needed].join(' ')}"`,
  });
  const asked = (method: string, scopes: Iterable<Scope>) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'hello', arguments: {} } });
    const request = new Request(`${GATEWAY}/mcp`, { method: 'POST', headers, body });
    return endpoint(request, { ...everyone, scopes: new Set(scopes) });
  };

  it('is told so by status and header, which is how a client knows to ask for more', async () => {
    const response = await asked('tools/call', ['write']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer scope="write read"');
    await expectRefused(response, 403, -32600, 'This needs the scope read, which was not granted.');
  });

  it('can call what needs no more than was granted, and see what there is', async () => {
    expect((await asked('tools/call', ['read'])).status).toBe(200);
    expect((await asked('tools/list', [])).status).toBe(200);
  });
});
