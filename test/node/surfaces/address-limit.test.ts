import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { AddressLimit, limitRefusals } from '../../../src/surfaces/address-limit.ts';

const LIMIT = 120;
const isKnown = (request: Request) => request.headers.get('authorization') === 'known';

describe('an address that is refused again and again', () => {
  it('may go on up to the limit, then waits out the minute', () => {
    const limit = new AddressLimit();
    for (let i = 0; i < LIMIT - 1; i++) limit.refused('a', 1_000);
    expect(limit.wait('a', 1_000)).toBe(0);
    limit.refused('a', 31_000);
    expect(limit.wait('a', 31_000)).toBe(30);
    expect(limit.wait('a', 60_999)).toBe(1);
    expect(limit.wait('a', 61_000)).toBe(0);
  });

  it('keeps nobody else out', () => {
    const limit = new AddressLimit();
    for (let i = 0; i < LIMIT; i++) limit.refused('a', 0);
    expect([limit.wait('a', 1), limit.wait('b', 1)]).toEqual([60, 0]);
  });

  it('is turned away before what it asks for is looked at', async () => {
    let looked = 0;
    const app = new Hono().use(limitRefusals(new AddressLimit(), () => 'a', isKnown)).get('/', () => {
      looked += 1;
      return new Response('', { status: 401 });
    });
    for (let i = 0; i < LIMIT; i++) expect((await app.request('/')).status).toBe(401);
    const refused = await app.request('/');
    expect(refused.status).toBe(429);
    expect(looked).toBe(LIMIT);
    const { retry_after, code } = (await refused.json()) as { retry_after: number; code: string };
    expect([code, refused.headers.get('retry-after')]).toEqual(['rate_limited', String(retry_after)]);
  });

  it('does not shut out somebody who was let in before', async () => {
    const app = new Hono()
      .use(limitRefusals(new AddressLimit(), () => 'a', isKnown))
      .get('/', (c) => (isKnown(c.req.raw) ? c.text('in') : new Response('', { status: 401 })));
    for (let i = 0; i < LIMIT; i++) await app.request('/');
    expect((await app.request('/')).status).toBe(429);
    expect((await app.request('/', { headers: { authorization: 'known' } })).status).toBe(200);
  });

  it('is not counted for requests that are let in', async () => {
    const app = new Hono()
      .use(limitRefusals(new AddressLimit(), () => 'a', isKnown))
      .get('/', (c) => c.text('in'));
    for (let i = 0; i < LIMIT + 5; i++) expect((await app.request('/')).status).toBe(200);
  });
});
