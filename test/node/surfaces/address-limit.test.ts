import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  AddressLimit,
  limitRefusals,
  WITHOUT_CREDENTIAL,
  WRONG_CREDENTIAL,
} from '../../../src/http/address-limit.ts';

const LIMIT = 120;

describe('an address that is refused again and again', () => {
  it('may go on up to the limit, then waits out the minute', () => {
    const limit = new AddressLimit(WRONG_CREDENTIAL);
    for (let i = 0; i < LIMIT - 1; i++) limit.refused('a', 1_000);
    expect(limit.wait('a', 1_000)).toBe(0);
    limit.refused('a', 31_000);
    expect(limit.wait('a', 31_000)).toBe(30);
    expect(limit.wait('a', 60_999)).toBe(1);
    expect(limit.wait('a', 61_000)).toBe(0);
  });

  it('keeps nobody else out', () => {
    const limit = new AddressLimit(WRONG_CREDENTIAL);
    for (let i = 0; i < LIMIT; i++) limit.refused('a', 0);
    expect([limit.wait('a', 1), limit.wait('b', 1)]).toEqual([60, 0]);
  });

  it('is still counted when thousands of others come after it', () => {
    const limit = new AddressLimit({ fromOne: 2, fromAll: 1_000_000 });
    for (let i = 0; i < 4_095; i++) limit.refused(`early ${i}`, 0);
    for (let i = 0; i < 2; i++) limit.refused('a', 1);
    for (let i = 0; i < 4_095; i++) limit.refused(`late ${i}`, 2);
    expect(limit.wait('a', 3)).toBe(60);
    limit.refused('one more', 3);
    expect(limit.wait('a', 3)).toBe(0);
  });
});

it('adds up what comes from many addresses', () => {
  const limit = new AddressLimit({ fromOne: 2, fromAll: 3 });
  for (const address of ['a', 'b']) limit.refused(address, 0);
  expect(limit.wait('d', 0)).toBe(0);
  limit.refused('c', 0);
  expect([limit.wait('d', 0), limit.wait('d', 59_999), limit.wait('d', 60_000)]).toEqual([60, 1, 0]);
});

/** A gateway that lets nobody in but who is known, and says how often it looked. */
function gateway() {
  let looked = 0;
  const app = new Hono()
    .use(
      limitRefusals({
        addressOf: () => 'a',
        isKnown: (request) => request.headers.get('authorization') === 'known',
        hasCredential: (request) => request.headers.has('authorization'),
      }),
    )
    .all('/page', () => {
      looked += 1;
      return new Response(null, { status: 303, headers: { location: '/signin?next=/page' } });
    })
    .all('*', (c) => {
      looked += 1;
      const known = c.req.header('authorization') === 'known' || c.req.path === '/signin';
      return known ? c.text('in') : new Response('', { status: 401 });
    });
  const ask = async (path: string, authorization?: string) =>
    (await app.request(path, authorization === undefined ? {} : { headers: { authorization } })).status;
  return { ask, app, looked: () => looked };
}

const LIMITS = [
  ['without a credential', '/tools/hello', undefined, WITHOUT_CREDENTIAL],
  ['with a wrong one', '/mcp', 'wrong', WRONG_CREDENTIAL],
] as const;

describe.each(LIMITS)('requests %s', (_, path, authorization, { fromOne }) => {
  it('are turned away before anything is looked at, once there were too many', async () => {
    const { ask, app, looked } = gateway();
    for (let i = 0; i < fromOne; i++) expect(await ask(path, authorization)).toBe(401);
    const refused = await app.request(path, authorization ? { headers: { authorization } } : {});
    expect(refused.status).toBe(429);
    expect(looked()).toBe(fromOne);
    const { retry_after, code } = (await refused.json()) as { retry_after: number; code: string };
    expect([code, refused.headers.get('retry-after')]).toEqual(['rate_limited', String(retry_after)]);
  });

  it('leave alone whoever was let in before, the sign-in, and each other', async () => {
    const { ask } = gateway();
    for (let i = 0; i < 2 * fromOne; i++) await ask(path, authorization);
    expect(await ask(path, authorization)).toBe(429);
    for (const way of ['/tools/hello', '/mcp', '/', '/page']) {
      expect(await ask(way, 'known'), way).toBe(way === '/page' ? 303 : 200);
    }
    for (const sent of [undefined, 'wrong']) expect(await ask('/signin', sent)).toBe(200);
    // The sign-in of the command line, the passkey's and OAuth's refuse by themselves.
    for (const way of ['/api/owner/session', '/passkeys/sign-in/options', '/oauth/token']) {
      expect(await ask(way, authorization), way).toBe(401);
    }
    const [other, credential] = authorization ? ['/tools/hello', undefined] : ['/mcp', 'wrong'];
    expect(await ask(other, credential)).toBe(401);
  });
});

it('counts a page that sends a stranger to the sign-in', async () => {
  const { ask } = gateway();
  for (let i = 0; i < LIMIT; i++) expect(await ask('/page', 'wrong')).toBe(303);
  expect(await ask('/page', 'wrong')).toBe(429);
});

it('never turns away what is refused for the lack of a credential alone', async () => {
  const { ask } = gateway();
  for (let i = 0; i < 2 * LIMIT; i++) await ask('/tools/hello');
  for (const path of ['/mcp', '/', '/api/owner/access']) expect(await ask(path), path).toBe(401);
});

it('does not count what it turned away itself', () => {
  const limit = new AddressLimit(WRONG_CREDENTIAL);
  for (let i = 0; i < LIMIT; i++) limit.refused('a', 0);
  expect(limit.wait('a', 59_000)).toBe(1);
  expect(limit.wait('a', 60_000)).toBe(0);
});
