import { describe, expect, it } from 'vitest';
import { bearer, personalToken } from './auth/support.ts';
import { chunked, MIB_4, padded, post, send } from './http.ts';

const ONE_OBJECT = 'Send the arguments as one JSON object in UTF-8.';
const ADVICE = "Compare the arguments with the tool's input schema and call again.";

/** What every failure over REST looks like: the object and nothing else, its status that of the answer. */
async function failureOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/json');
  const body = await response.json<{ http_status: number }>();
  expect(body.http_status).toBe(response.status);
  return body;
}

const refused = (http_status: number, message: string, suggestion = ADVICE) => ({
  code: 'invalid_input',
  http_status,
  message,
  suggestion,
});

async function expectGreeting(response: Response, name: string) {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  const { timestamp, ...rest } = await response.json<{ timestamp: string }>();
  expect(rest).toEqual({ greeting: `Hello, ${name}!`, message: `Hello, ${name}!` });
  expect(new Date(timestamp).toISOString()).toBe(timestamp);
}

describe('a call over REST', () => {
  it('answers with the output and nothing around it', async () => {
    await expectGreeting(await post('hello', '{"name":"Ada"}'), 'Ada');
  });

  it('takes an empty body for an empty object, whatever its type', async () => {
    await expectGreeting(await post('hello', '{}'), 'World');
    await expectGreeting(await post('hello', ''), 'World');
    await expectGreeting(await send('/tools/hello', { method: 'POST' }), 'World');
    await expectGreeting(await post('hello', '', { 'content-type': 'text/plain' }), 'World');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json ;a=b',
  ])('takes %s', async (type) => {
    await expectGreeting(await post('hello', '{"name":"Ada"}', { 'content-type': type }), 'Ada');
  });

  it('keeps every character of its arguments', async () => {
    await expectGreeting(await post('hello', '{"name":"Gr\\u00fc\u00dfe \\ud83d\\ude00 😀"}'), 'Grüße 😀 😀');
  });
});

describe('a body that is refused', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/vnd.api+json',
    '',
  ])('is 415 if it is sent as %j', async (type) => {
    const message = 'The body has to be JSON, sent with content-type application/json.';
    const response = await post('hello', '{"name":"Ada"}', { 'content-type': type });
    expect(response.status).toBe(415);
    expect(await failureOf(response)).toEqual(refused(415, message, ONE_OBJECT));
  });

  const depth = 'The JSON is nested more than 32 deep.';
  const unsafe = 'The number 9007199254740993 is too large to be exact; send it as a string.';
  const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it.each<[string, BodyInit, string]>([
    ['cut off', '{"name":', 'This is not valid JSON.'],
    ['not JSON', 'name=Ada', 'This is not valid JSON.'],
    ['with a key that occurs twice', '{"name":"a","name":"b"}', 'The key "name" occurs twice in one object.'],
    ['with half of a pair', '{"name":"\\ud83d"}', 'A string holds half of a surrogate pair.'],
    ['with an unsafe integer', '{"name":9007199254740993}', unsafe],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'The body is not valid UTF-8.'],
    ['33 levels deep', nested(33), depth],
    ['100,000 brackets deep', '['.repeat(100_000), depth],
    ['100,000 brackets deep and closed', nested(100_000), depth],
  ])('is 400 if it is %s, and the next call works', async (_, body, message) => {
    const response = await post('hello', body, bearer((await personalToken(['read'])).secret));
    expect(response.status).toBe(400);
    expect(await failureOf(response)).toEqual(refused(400, message, ONE_OBJECT));
    await expectGreeting(await post('hello', '{"name":"Ada"}'), 'Ada');
  });

  it.each([
    ['32 levels deep, which a parser takes', nested(32), '`name` must be a string.'],
    ['an array', '[]', 'The argument object must be an object.'],
    ['null', 'null', 'The argument object must be an object.'],
    ['a bare text', '"Ada"', 'The argument object must be an object.'],
    ['too much for a field', `{"name":"${'a'.repeat(101)}"}`, '`name` must have at most 100 characters.'],
    ['with an unknown field', '{"nam":"Ada"}', '`nam` is not a field of this tool; did you mean `name`?'],
  ])('is 400 by its schema if it is %s', async (_, body, message) => {
    const response = await post('hello', body);
    expect(response.status).toBe(400);
    expect(await failureOf(response)).toEqual(refused(400, message));
  });
});

describe.each([
  ['with a token', MIB_4, true],
  ['of somebody without a token', 65_536, false],
])('a large body %s', (_, limit, hasToken) => {
  const exact = padded('{"name":"Ada"}', limit);
  const say = async (body: BodyInit) =>
    post('hello', body, hasToken ? bearer((await personalToken(['read'])).secret) : {});

  it('is taken up to its limit, with and without a declared length', async () => {
    await expectGreeting(await say(exact), 'Ada');
    await expectGreeting(await say(chunked(exact)), 'Ada');
  });

  it.each([
    ['declared', () => `${exact} `],
    ['not declared', () => chunked(`${exact} `)],
    ['of white space alone', () => ' '.repeat(limit + 1)],
  ])('is 413 one byte later, its length %s, and the next call works', async (_, body) => {
    const response = await say(body());
    expect(response.status).toBe(413);
    expect(await failureOf(response)).toEqual(
      refused(413, `The request body is over ${limit} bytes.`, 'Send less at a time.'),
    );
    await expectGreeting(await say('{"name":"Ada"}'), 'Ada');
  });
});

describe('a body that only one tool takes', () => {
  const args = JSON.stringify({ path: 'f', content: 'x'.repeat(MIB_4) });
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_file","arguments":${args}}}`;
  const json = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const statuses = async (scopes: Parameters<typeof personalToken>[0]) => {
    const token = bearer((await personalToken(scopes)).secret);
    const byRest = await post('create_file', args, token);
    const byMcp = await send('/mcp', { method: 'POST', headers: { ...json, ...token }, body: message });
    return [byRest.status, byMcp.status];
  };

  it('is not read from a caller who may not call that tool', async () => {
    expect(await statuses(['read'])).toEqual([413, 413]);
    expect(await statuses(['read', 'machine'])).not.toContain(413);
  });
});

describe('a tool that does not exist', () => {
  it('is 404 with the nearest name', async () => {
    const response = await post('helo', '{}');
    expect(response.status).toBe(404);
    expect(await failureOf(response)).toEqual({
      code: 'unknown_tool',
      http_status: 404,
      message: 'There is no tool called "helo".',
      suggestion: 'Did you mean hello?',
    });
  });

  it('is 404 with advice where no name is near', async () => {
    expect(await failureOf(await post('qqqqqqqq', '{}'))).toEqual({
      code: 'unknown_tool',
      http_status: 404,
      message: 'There is no tool called "qqqqqqqq".',
      suggestion: 'List the tools and use one of their names.',
    });
  });

  it.each(['constructor', '__proto__', 'toString', 'HELLO', 'hello.', encodeURIComponent('hel"lo\n')])(
    'is 404 whatever it is called: %s',
    async (name) => {
      const response = await post(name, '{}');
      expect(response.status).toBe(404);
      expect(await failureOf(response)).toMatchObject({ code: 'unknown_tool' });
    },
  );

  it('is shown only in its beginning, however long its name is', async () => {
    const { message } = (await failureOf(await post('q'.repeat(5_000), '{}'))) as unknown as {
      message: string;
    };
    expect(message).toBe(`There is no tool called "${'q'.repeat(64)}".`);
  });

  it('is not read for', async () => {
    expect((await post('helo', '{')).status).toBe(404);
  });
});

describe('another method than POST', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('is 405 and told which one: %s', async (method) => {
    const response = await send('/tools/hello', { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await failureOf(response)).toEqual(
      refused(405, 'Tools are called with POST.', 'Send the arguments as the JSON body of a POST.'),
    );
  });
});

describe('a token that is sent', () => {
  it('has to be good, even where none is needed', async () => {
    const response = await post('hello', '{}', { authorization: 'Bearer nonsense' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await failureOf(response)).toMatchObject({ code: 'unauthorized' });
  });
});
