import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  closeAllSessions,
  closeSession,
  findSession,
  listSessions,
  openSession,
  proveSession,
} from '../../../src/owner/sessions.ts';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { send } from '../http.ts';
import { api, browser, cookiesIn, inOwner, later, owner, signedIn, signInAs, ticketOf } from './support.ts';

const SESSION = '__Host-bowline';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

afterEach(() => {
  vi.useRealTimers();
});

describe('a session', () => {
  it('is none if its cookie is sent twice, since then somebody added one', async () => {
    const { secret } = await signedIn();
    const home = (cookie: string) => send('/', { headers: { cookie }, redirect: 'manual' });
    expect((await home(`${SESSION}=${secret}`)).status).toBe(200);
    for (const cookie of [
      `${SESSION}=${secret}; ${SESSION}=${secret}`,
      `${SESSION}=${secret}; ${SESSION}=bwl_sess_${'A'.repeat(43)}`,
      `${SESSION}=; ${SESSION}=${secret}`,
      `${SESSION}=x;${SESSION}=${secret}`,
    ]) {
      expect((await home(cookie)).status).toBe(303);
    }
  });

  it.each([
    ['under another name', (secret: string) => `bowline=${secret}`],
    ['under a name in another case', (secret: string) => `__host-bowline=${secret}`],
    ['with a letter less', (secret: string) => `${SESSION}=${secret.slice(0, -1)}`],
    ['with a letter more', (secret: string) => `${SESSION}=${secret}x`],
    ['in quotes', (secret: string) => `${SESSION}="${secret}"`],
    ['encoded', (secret: string) => `${SESSION}=${encodeURIComponent(`${secret} `)}`],
    ['of the wrong kind', (secret: string) => `${SESSION}=${secret.replace('bwl_sess', 'bwl_pat')}`],
  ])('is none %s', async (_, cookieOf) => {
    const { secret } = await signedIn();
    const response = await send('/', { headers: { cookie: cookieOf(secret) }, redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/signin');
  });

  it('is not what a form was shown with before signing in', async () => {
    const visitor = browser();
    await ticketOf(visitor);
    const ticket = visitor.cookies.get('__Host-bowline-form') ?? '';
    expect(ticket).toMatch(/^bwl_sess_/);
    visitor.cookies.set(SESSION, ticket);
    expect((await visitor.send('/')).headers.get('location')).toBe('/signin');
  });

  it('is a new one at every sign-in, whatever cookie came along', async () => {
    const visitor = browser();
    const planted = `bwl_sess_${'A'.repeat(43)}`;
    visitor.cookies.set(SESSION, planted);
    await signInAs(visitor, TEST_OWNER_KEY);
    expect(visitor.cookies.get(SESSION)).not.toBe(planted);
    expect(await owner().session(planted)).toBeNull();
  });

  it('ends with the sign-out, which needs the ticket of a page of ours', async () => {
    const visitor = await signedIn();
    for (const [fields, headers] of [
      [{}, {}],
      [{ csrf: 'A'.repeat(43) }, {}],
      [{ csrf: (await signedIn()).csrf }, {}],
      [{ csrf: visitor.csrf }, { 'sec-fetch-site': 'cross-site' }],
      [{ csrf: visitor.csrf }, { origin: 'http://localhost:3000' }],
    ] as const) {
      await visitor.submit('/signout', fields, headers);
      expect((await visitor.send('/')).status).toBe(200);
    }
    expect((await visitor.send('/signout')).status).toBe(404);
    const response = await visitor.submit('/signout', { csrf: visitor.csrf });
    expect(response.headers.get('location')).toBe('/signin');
    expect(cookiesIn(response).get(SESSION)).toBe('');
    const cookie = `${SESSION}=${visitor.secret}`;
    expect((await send('/', { headers: { cookie }, redirect: 'manual' })).status).toBe(303);
  });

  it('ends on the gateway after twelve hours without use', async () => {
    const visitor = await signedIn();
    later(12 * 3_600_000 - 1_000);
    expect((await visitor.send('/')).status).toBe(200);
    later(12 * 3_600_000 + 1);
    expect((await visitor.send('/')).headers.get('location')).toBe('/signin');
  });
});

describe('the life of a session', () => {
  const from = { method: 'owner_key', agent: 'tests', address: '2001:db8::1' } as const;
  /** Long before any other session of these tests, which are therefore never in the way. */
  const START = 1_000_000_000_000;

  /** Whether a session opened at the start is still there at each of these times, used at each of them. */
  const usedAt = (...times: number[]) =>
    inOwner((sql) => {
      const { secret } = openSession(sql, from, START);
      return times.map((at) => findSession(sql, secret, START + at) !== undefined);
    });

  it('ends twelve hours after it was last used', async () => {
    expect(await usedAt(12 * HOUR - 1)).toEqual([true]);
    expect(await usedAt(12 * HOUR)).toEqual([false]);
    expect(await usedAt(6 * HOUR, 18 * HOUR - 1, 30 * HOUR - 2)).toEqual([true, true, true]);
    expect(await usedAt(6 * HOUR, 18 * HOUR)).toEqual([true, false]);
  });

  it('is not prolonged by less than a minute at a time, which would cost a write for every page', async () => {
    expect(await usedAt(MINUTE - 1, 12 * HOUR)).toEqual([true, false]);
    expect(await usedAt(MINUTE, 12 * HOUR)).toEqual([true, true]);
  });

  it('ends after seven days, however much it is used', async () => {
    const hourly = Array.from({ length: 7 * 24 - 1 }, (_, i) => (i + 1) * HOUR);
    expect(await usedAt(...hourly, 7 * DAY - 1, 7 * DAY)).toEqual([...hourly.map(() => true), true, false]);
  });

  it('does not come back when it is over', async () => {
    expect(await usedAt(12 * HOUR, HOUR)).toEqual([false, true]);
    // It is swept out at the next sign-in, and then it is gone whatever the time.
    const found = await inOwner((sql) => {
      const { secret } = openSession(sql, from, START);
      openSession(sql, from, START + 12 * HOUR);
      return findSession(sql, secret, START);
    });
    expect(found).toBeUndefined();
  });

  it('keeps a hash and no secret, a short name and no more, and not all of a long user agent', async () => {
    await inOwner((sql) => {
      const { secret, session } = openSession(sql, { ...from, agent: 'x'.repeat(5_000) }, START);
      const row = sql.exec("SELECT * FROM session WHERE agent LIKE 'xxx%'").one();
      expect(JSON.stringify(row)).not.toContain(secret.slice('bwl_sess_'.length));
      expect(row.id_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(session.id).toBe(String(row.id_hash).slice(0, 16));
      expect(findSession(sql, session.id, START)).toBeUndefined();
      expect(findSession(sql, String(row.id_hash), START)).toBeUndefined();
      expect(session.agent).toHaveLength(200);
      closeSession(sql, session.id);
    });
  });

  it('goes on under another secret when its owner proves that it is them, and ends for who has the old one', async () => {
    await inOwner((sql) => {
      const { secret, session } = openSession(sql, from, START);
      expect(session.provenAt).toBe(START);
      const renewed = proveSession(sql, secret, START + 5);
      expect(renewed?.secret).not.toBe(secret);
      expect(findSession(sql, secret, START + 6)).toBeUndefined();
      const found = findSession(sql, renewed?.secret ?? '', START + 6);
      expect(found).toMatchObject({ createdAt: START, provenAt: START + 5, agent: session.agent });
      expect(proveSession(sql, secret, START + 7)).toBeUndefined();
    });
  });

  it('is listed while it lives, closed by its short name alone, and by nobody else’s', async () => {
    await inOwner((sql) => {
      closeAllSessions(sql);
      const opened = [openSession(sql, from, START), openSession(sql, from, START + HOUR)] as const;
      const listed = (at: number) => listSessions(sql, at).map(({ id }) => id);
      expect(listed(START + HOUR)).toEqual([opened[1].session.id, opened[0].session.id]);
      expect(listed(START + 12 * HOUR)).toEqual([opened[1].session.id]);
      for (const id of [
        '',
        '%',
        opened[0].session.id.slice(0, 8),
        `${opened[0].session.id}%`,
        opened[0].secret,
      ]) {
        expect(closeSession(sql, id)).toBe(false);
      }
      expect(closeSession(sql, opened[0].session.id)).toBe(true);
      expect(closeSession(sql, opened[0].session.id)).toBe(false);
      expect(listed(START + HOUR)).toEqual([opened[1].session.id]);
    });
  });
});

describe('the owner', () => {
  it('sees the sessions there are, and can end another one from here', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const access = await (await api(here, 'GET', 'access')).json<{ sessions: { id: string }[] }>();
    const ids = access.sessions.map(({ id }) => id);
    expect(ids).toContain(here.id);
    expect(ids).toContain(there.id);
    expect((await api(here, 'DELETE', `sessions/${there.id}`)).status).toBe(200);
    expect((await there.send('/')).status).toBe(303);
    expect((await here.send('/')).status).toBe(200);
    expect((await api(here, 'DELETE', `sessions/${there.id}`)).status).toBe(404);
  });

  it('can end another one from the page, and the one they are in', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const end = (id: string) => here.submit('/connections/sessions/revoke', { csrf: here.csrf, id });
    expect((await end(there.id)).headers.get('location')).toBe('/connections');
    expect((await there.send('/')).status).toBe(303);
    await end(here.id);
    expect((await here.send('/')).status).toBe(303);
  });

  it('signs out over the API', async () => {
    const here = await signedIn();
    const response = await api(here, 'DELETE', 'session');
    expect(response.status).toBe(200);
    expect(cookiesIn(response).get(SESSION)).toBe('');
    expect((await api(here, 'GET', 'access')).status).toBe(401);
  });
});
