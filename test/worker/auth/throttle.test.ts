import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetAttempts, limits, recordAttempt, waitFor } from '../../../src/owner/throttle.ts';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { send } from '../http.ts';
import { browser, inOwner, later, newAddress, owner, registration, signInAs } from './support.ts';

const MINUTE = 60_000;
const WRONG = `bwl_owner_${'U'.repeat(43)}`;

afterEach(async () => {
  vi.useRealTimers();
  // What was counted here is not to be in the way of what comes after.
  await reset();
});

const tryKey = (key: string, address: string) =>
  send('/api/owner/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cf-connecting-ip': address },
    body: JSON.stringify({ key }),
  });

/** Stops the clock, so that a test's own time is no part of what it measures. */
const stopClock = () => later(0);

async function tryWrong(times: number, address: string) {
  for (let i = 0; i < times; i++) expect((await tryKey(WRONG, address)).status).toBe(403);
}

async function expectTooMany(response: Response, seconds: number) {
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe(String(seconds));
  const body = await response.json();
  expect(body).toMatchObject({ code: 'rate_limited', http_status: 429, retry_after: seconds });
}

describe('five wrong keys from one address', () => {
  it('make it wait with further ones, and say for how long; the right key never waits', async () => {
    stopClock();
    const address = newAddress();
    await tryWrong(5, address);
    await expectTooMany(await tryKey(WRONG, address), 300);
    expect((await tryKey(TEST_OWNER_KEY, address)).status).toBe(200);
    await expectTooMany(await tryKey(WRONG, address), 300);
    expect((await tryKey(WRONG, newAddress())).status).toBe(403);
    later(60_500);
    await expectTooMany(await tryKey(WRONG, address), 240);
  });

  it('count on the page as they do over the API, together', async () => {
    stopClock();
    const address = newAddress();
    await tryWrong(3, address);
    for (let i = 0; i < 2; i++) expect((await signInAs(browser(address), WRONG)).status).toBe(403);
    const response = await signInAs(browser(address), WRONG);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('300');
    expect(response.headers.getSetCookie().join()).not.toContain('__Host-bowline=');
    expect(await response.text()).toContain('Try again in 300 seconds');
    const right = await signInAs(browser(address), TEST_OWNER_KEY);
    expect(right.headers.getSetCookie().join()).toContain('__Host-bowline=bwl_sess_');
  });

  it('count for all addresses of one IPv6 network together', async () => {
    for (let i = 0; i < 5; i++) await tryWrong(1, `2001:db8:1:2::${i}`);
    expect((await tryKey(WRONG, '2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await tryKey(WRONG, '2001:db8:1:3::1')).status).toBe(403);
  });

  it('count for a key of any other form, which is not even compared', async () => {
    const address = newAddress();
    for (const key of [
      'x',
      'bwl_owner_',
      `${TEST_OWNER_KEY}A`,
      `bwl_pat_${'T'.repeat(43)}`,
      'T'.repeat(43),
    ]) {
      expect((await tryKey(key, address)).status).toBe(403);
    }
    expect((await tryKey('x', address)).status).toBe(429);
  });

  it('are still counted after the object that counts has slept', async () => {
    const address = newAddress();
    await tryWrong(4, address);
    await evictDurableObject(owner());
    await tryWrong(1, address);
    await evictDurableObject(owner());
    expect((await tryKey(WRONG, address)).status).toBe(429);
  });

  it('are forgotten one by one after five minutes, however hard somebody knocks meanwhile', async () => {
    stopClock();
    const address = newAddress();
    await tryWrong(1, address);
    later(MINUTE);
    await tryWrong(4, address);
    for (let second = 0; second < 239; second += 20) {
      expect((await tryKey(WRONG, address)).status).toBe(429);
      later(20_000);
    }
    // The first is five minutes old now, the others four.
    expect((await tryKey(WRONG, address)).status).toBe(403);
    await expectTooMany(await tryKey(WRONG, address), 60);
    later(MINUTE);
    expect((await tryKey(WRONG, address)).status).toBe(403);
  });

  it('are counted for nobody who sent no key at all', async () => {
    const address = newAddress();
    for (let i = 0; i < 8; i++) {
      expect((await browser(address).submit('/signin', { key: WRONG })).status).toBe(403);
      const headers = { 'cf-connecting-ip': address };
      expect((await send('/api/owner/session', { method: 'POST', headers, body: '{}' })).status).toBe(400);
    }
    expect((await tryKey(WRONG, address)).status).toBe(403);
  });

  it('sent all at once are five and no more', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 20 }, () => tryKey(WRONG, address)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });
});

describe('wrong keys from everywhere', () => {
  it('are sixty a minute and no more, and the flood is over a minute after it ends', async () => {
    stopClock();
    for (let i = 0; i < 12; i++) await tryWrong(5, newAddress());
    await expectTooMany(await tryKey(WRONG, newAddress()), 60);
    expect((await tryKey(TEST_OWNER_KEY, newAddress())).status).toBe(200);
    later(30_000);
    for (let i = 0; i < 5; i++) await expectTooMany(await tryKey(WRONG, newAddress()), 30);
    later(30_000);
    expect((await tryKey(WRONG, newAddress())).status).toBe(403);
  });

  it('leave the owner’s right ones uncounted, however many those are', async () => {
    stopClock();
    await tryWrong(5, newAddress());
    const address = newAddress();
    for (let i = 0; i < 80; i++) expect((await tryKey(TEST_OWNER_KEY, address)).status).toBe(200);
    // The wrong ones still stand in the count: fifty-five more, and it is full.
    for (let i = 0; i < 11; i++) await tryWrong(5, newAddress());
    await expectTooMany(await tryKey(WRONG, newAddress()), 60);
  });

  it('do not use up an address’s own attempts while they keep it out', async () => {
    stopClock();
    for (let i = 0; i < 12; i++) await tryWrong(5, newAddress());
    const address = newAddress();
    for (let i = 0; i < 8; i++) expect((await tryKey(WRONG, address)).status).toBe(429);
    later(MINUTE);
    expect((await tryKey(WRONG, address)).status).toBe(403);
  });
});

describe('a flood of registrations', () => {
  it('is stopped at the twenty-first from one address in an hour; others still register', async () => {
    stopClock();
    const address = newAddress();
    for (let i = 0; i < 20; i++) expect((await registration({}, address)).status).toBe(201);
    const refused = await registration({}, address);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await registration({}, newAddress())).status).toBe(201);
    later(59 * MINUTE);
    expect((await registration({}, address)).status).toBe(429);
    later(MINUTE);
    expect((await registration({}, address)).status).toBe(201);
  });

  it('is stopped at two hundred in an hour, wherever they come from, and keeps nobody out who is in', async () => {
    stopClock();
    for (let i = 0; i < 200; i++) {
      const wait = await owner().attempt([{ what: 'register', limit: limits.registerAll }]);
      expect(wait).toBe(0);
    }
    expect((await registration()).status).toBe(429);
    expect((await tryKey(TEST_OWNER_KEY, newAddress())).status).toBe(200);
  });

  it('counts no registration that was refused for what it said', async () => {
    const address = newAddress();
    for (let i = 0; i < 25; i++) {
      expect((await registration({ redirect_uris: ['javascript:x'] }, address)).status).toBe(400);
    }
    expect((await registration({}, address)).status).toBe(201);
  });
});

describe('a limit', () => {
  const limit = { count: 3, windowMs: 1_000 };

  /** The waits before each of these attempts, each of which is then made if it may be. */
  const waits = (...times: number[]) =>
    inOwner((sql) =>
      times.map((at) => {
        const wait = waitFor(sql, 'x', limit, at);
        if (wait === 0) recordAttempt(sql, 'x', at);
        return wait;
      }),
    );

  it('lets as many through as it says, and then none until the oldest has left its window', async () => {
    expect(await waits(0, 100, 200, 200, 999, 1_000, 1_001, 1_100)).toEqual([0, 0, 0, 800, 1, 0, 99, 0]);
  });

  it('looks at the newest attempts, so that old ones without end change nothing', async () => {
    await inOwner((sql) => {
      for (let at = 0; at < 50; at++) sql.exec('INSERT INTO attempt (what, at) VALUES (?, ?)', 'x', at);
    });
    expect(await waits(1_046, 1_047)).toEqual([1, 0]);
  });

  it('is counted by name, and forgotten by name', async () => {
    await inOwner((sql) => {
      for (const what of ['a', 'a', 'a', 'b']) recordAttempt(sql, what, 0);
      expect([waitFor(sql, 'a', limit, 0), waitFor(sql, 'b', limit, 0)]).toEqual([1_000, 0]);
      forgetAttempts(sql, 'a');
      expect(waitFor(sql, 'a', limit, 0)).toBe(0);
      expect(sql.exec('SELECT what FROM attempt').toArray()).toEqual([{ what: 'b' }]);
    });
  });

  it('keeps no attempt for longer than the longest window', async () => {
    const longest = Math.max(...Object.values(limits).map(({ windowMs }) => windowMs));
    await inOwner((sql) => {
      recordAttempt(sql, 'old', 0);
      recordAttempt(sql, 'new', longest);
      expect(sql.exec('SELECT what FROM attempt').toArray()).toEqual([{ what: 'new' }]);
    });
  });
});
