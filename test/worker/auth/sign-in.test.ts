import { describe, expect, it } from 'vitest';
import { TEST_OWNER_KEY } from '../../support/owner-key.ts';
import { send } from '../http.ts';
import { browser, cookiesIn, inOwner, newAddress, signedIn, signInAs, ticketOf } from './support.ts';

const SESSION = '__Host-bowline';

const apiSignIn = (body: string, headers: Record<string, string> = {}) =>
  send('/api/owner/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cf-connecting-ip': newAddress(), ...headers },
    body,
  });

const sessionCount = () =>
  inOwner((sql) => sql.exec<{ n: number }>('SELECT count(*) AS n FROM session').one().n);

describe('the owner key', () => {
  it('opens a session, in a cookie that no script, no other site and no other host gets at', async () => {
    const visitor = browser();
    const response = await signInAs(visitor, TEST_OWNER_KEY);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/');
    const set = response.headers.getSetCookie().filter((line) => !/^[^=]+=;/.test(line));
    expect(set).toHaveLength(1);
    const [pair, ...attributes] = (set[0] ?? '').split('; ');
    expect(pair).toMatch(/^__Host-bowline=bwl_sess_[\w-]{43}\.[\w-]{22}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']);
    expect((await visitor.send('/')).status).toBe(200);
  });

  it('opens a session over the API in the same way', async () => {
    const response = await apiSignIn(JSON.stringify({ key: TEST_OWNER_KEY }));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [line = '', ...more] = response.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(line).toMatch(
      /^__Host-bowline=bwl_sess_[\w-]{43}\.[\w-]{22}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const body = await response.json<{ csrf: string; session: object }>();
    expect(Object.keys(body).sort()).toEqual(['csrf', 'session']);
    expect(JSON.stringify(body)).not.toContain('bwl_sess_');
  });

  it('may have been pasted with white space around it', async () => {
    expect((await signInAs(browser(), ` ${TEST_OWNER_KEY}\n`)).status).toBe(303);
  });

  it('is kept nowhere', async () => {
    await signInAs(browser(), TEST_OWNER_KEY);
    const kept = await inOwner((sql) =>
      JSON.stringify(
        ['session', 'token', 'passkey', 'challenge', 'attempt'].map((table) =>
          sql.exec(`SELECT * FROM ${table}`).toArray(),
        ),
      ),
    );
    expect(kept).not.toContain(TEST_OWNER_KEY);
    expect(kept).not.toContain('bwl_');
  });

  it.each([
    ['empty', ''],
    ['another', `bwl_owner_${'U'.repeat(43)}`],
    ['with a letter less', TEST_OWNER_KEY.slice(0, -1)],
    ['with a letter more', `${TEST_OWNER_KEY}T`],
    ['in another case', TEST_OWNER_KEY.toLowerCase()],
    ['its hash', 'b5266f0d18e05e07167141b3bd0eeb9a8df335e13258edf3321f8c34703ec24d'],
  ])('is refused if it is wrong, and sets no session: %s', async (_, key) => {
    const before = await sessionCount();
    const visitor = browser();
    const response = await signInAs(visitor, key);
    expect(response.status).toBe(403);
    expect(cookiesIn(response).has(SESSION)).toBe(false);
    expect(await response.text()).toContain('That is not the owner key');
    expect((await visitor.send('/')).headers.get('location')).toBe('/signin');
    const overApi = await apiSignIn(JSON.stringify({ key: key || 'x' }));
    expect(overApi.status).toBe(403);
    expect(overApi.headers.getSetCookie()).toEqual([]);
    expect(await overApi.json()).toMatchObject({ code: 'wrong_owner_key', http_status: 403 });
    expect(await sessionCount()).toBe(before);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'key=x'],
    ['no object', '"key"'],
    ['no key', '{}'],
    ['an empty key', '{"key":""}'],
    ['a key that is no text', '{"key":1}'],
    ['a key and more', `{"key":"${TEST_OWNER_KEY}","admin":true}`],
    ['two keys', `{"key":"x","key":"${TEST_OWNER_KEY}"}`],
    ['a key of 201 characters', `{"key":"${'x'.repeat(201)}"}`],
    ['more than 64 KB', `{"key":"${TEST_OWNER_KEY}"}${' '.repeat(65_536)}`],
  ])('has to be said plainly over the API: not %s', async (_, body) => {
    const response = await apiSignIn(body);
    expect([400, 413]).toContain(response.status);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.text()).not.toContain(TEST_OWNER_KEY);
  });
});

describe('the form', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['without its ticket', { csrf: '' }, {}],
    ['with a made-up ticket', { csrf: 'A'.repeat(43) }, {}],
    ['from another program on this computer', {}, { origin: 'http://localhost:3000' }],
    ['across sites', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbour of this site', {}, { 'sec-fetch-site': 'same-site' }],
  ])('counts for nothing %s, even with the right key', async (_, fields, headers) => {
    const visitor = browser();
    const csrf = await ticketOf(visitor);
    const response = await visitor.submit('/signin', { csrf, key: TEST_OWNER_KEY, ...fields }, headers);
    expect(response.status).toBe(403);
    expect(cookiesIn(response).has(SESSION)).toBe(false);
  });

  it.each(['https://evil.example', 'null'])('is not looked at from %s', async (origin) => {
    const visitor = browser();
    const csrf = await ticketOf(visitor);
    const response = await visitor.submit('/signin', { csrf, key: TEST_OWNER_KEY }, { origin });
    expect(response.status).toBe(403);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect((await apiSignIn(JSON.stringify({ key: TEST_OWNER_KEY }), { origin })).status).toBe(403);
  });

  it('counts for nothing in another browser than it was shown in', async () => {
    const csrf = await ticketOf(browser());
    for (const visitor of [browser(), browser()]) {
      const response = await visitor.submit('/signin', { csrf, key: TEST_OWNER_KEY });
      expect(response.status).toBe(403);
      await ticketOf(visitor);
      expect((await visitor.submit('/signin', { csrf, key: TEST_OWNER_KEY })).status).toBe(403);
    }
  });

  it('has its cookie kept from scripts and other hosts', async () => {
    const [line = ''] = (await send('/signin')).headers.getSetCookie();
    expect(line).toMatch(
      /^__Host-bowline-form=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600$/,
    );
  });

  it.each([
    ['no form at all', { 'content-type': 'application/json' }, '{}'],
    ['a form without its boundary', { 'content-type': 'multipart/form-data' }, 'x'],
    ['a form that breaks off', { 'content-type': 'multipart/form-data; boundary=x' }, '--x\r\nContent-'],
    ['bytes', { 'content-type': 'application/octet-stream' }, '\u0000'],
    [
      'a form without end',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'key='.padEnd(70_000, 'x'),
    ],
  ])('is shown again to whoever sends %s', async (_, headers, body) => {
    for (const path of ['/signin', '/signout']) {
      const response = await browser().send(path, { method: 'POST', headers, body });
      expect(response.status).toBe(path === '/signin' ? 403 : 303);
    }
  });

  it('leads a signed-in owner straight on', async () => {
    const response = await (await signedIn()).send('/signin?next=/connections');
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/connections');
  });
});
