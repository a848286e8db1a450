import { describe, expect, it } from 'vitest';
import { callerOfBearer, challengesFor, tokenOf } from '../../../src/owner/bearer.ts';

const request = (headers: HeadersInit = {}, url = 'https://bowline.example/mcp') =>
  new Request(url, { headers });

describe('tokenOf', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc', 'abc'],
    ['Bearer owner:grant:secret', 'owner:grant:secret'],
    ['Bearer a.b-c_d~e+f/g=', 'a.b-c_d~e+f/g='],
    [`Bearer ${'a'.repeat(256)}`, 'a'.repeat(256)],
  ])('finds the token in %s', (authorization, token) => {
    expect(tokenOf(request({ authorization }))).toBe(token);
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'abc',
    'Basic abc',
    'Bearerabc',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer a,b',
    'Bearer "a"',
    'Bearer a;b',
    'Bearer <a>',
    'Bearer a\u00e9',
    'Token Bearer abc',
    `Bearer ${'a'.repeat(257)}`,
  ])('finds none in %j', (authorization) => {
    expect(tokenOf(request({ authorization }))).toBeUndefined();
  });

  it('finds none anywhere else', () => {
    expect(tokenOf(request({ cookie: 'authorization=Bearer abc' }))).toBeUndefined();
    expect(
      tokenOf(request({ 'x-authorization': 'Bearer abc', 'proxy-authorization': 'Bearer abc' })),
    ).toBeUndefined();
    expect(tokenOf(request({}, 'https://bowline.example/mcp?access_token=abc'))).toBeUndefined();
  });
});

describe('a challenge', () => {
  const { unauthorized, insufficientScope } = challengesFor('https://bowline.example');
  const metadata = 'resource_metadata="https://bowline.example/.well-known/oauth-protected-resource/mcp"';

  it('blames nobody who sent nothing', () => {
    expect(unauthorized(request())).toBe(`Bearer ${metadata}, scope="read write machine"`);
  });

  it('blames a token that was sent, without repeating it', () => {
    for (const authorization of ['Bearer secret', 'Basic secret', '']) {
      const challenge = unauthorized(request({ authorization }));
      expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"]+", /);
      expect(challenge).toContain(`${metadata}, scope="read write machine"`);
      expect(challenge).not.toContain('secret');
    }
  });

  it.each([
    [['read'], 'write', 'read write'],
    [['machine', 'read'], 'write', 'read write machine'],
    [['machine'], 'read', 'read machine'],
    [[], 'machine', 'machine'],
  ] as const)('asks with %j in hand for %s by naming all that is then needed: %s', (held, needed, scope) => {
    expect(insufficientScope(new Set(held), needed)).toBe(
      `Bearer error="insufficient_scope", scope="${scope}", ${metadata}, error_description="This needs ${needed}"`,
    );
  });
});

it('makes a caller of a bearer, without its expiry and with the way it came', () => {
  const scopes = new Set(['read'] as const);
  const bearer = { principal: 'app:x', client: 'App', scopes, expiresAt: 5 };
  expect(callerOfBearer(bearer, 'rest')).toEqual({ principal: 'app:x', client: 'App', via: 'rest', scopes });
});
