import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { ownerApi } from '../../../src/api/owner-api.ts';
import { connectionsRoutes } from '../../../src/console/access/connections-routes.tsx';
import { SESSION_COOKIE } from '../../../src/owner/cookies.ts';
import { GATEWAY, post, send } from '../http.ts';
import {
  anotherIsolate,
  api,
  authorizePath,
  bearer,
  browser,
  connectedApp,
  eras,
  inOwner,
  mcpCall,
  mcpStatus,
  newAddress,
  openConsent,
  personalToken,
  registered,
  signedIn,
} from './support.ts';

/** Every door of the owner's own, and what a stranger at it is told. */
const pages = ['/', '/connections'];
const forms = [
  '/signout',
  '/connections/tokens',
  '/connections/tokens/revoke',
  '/connections/sessions/revoke',
  '/connections/apps/revoke',
  '/connections/passkeys/remove',
  '/connections/code',
  '/connections/revoke-everything',
];
const calls: [method: string, path: string][] = [
  ['GET', 'access'],
  ['POST', 'tokens'],
  ['POST', 'sign-in-codes'],
  ['DELETE', 'session'],
  ['DELETE', 'tokens/x'],
  ['DELETE', 'sessions/x'],
  ['DELETE', 'apps/x'],
  ['POST', 'revoke-everything'],
];

it('is tried at every door there is', () => {
  const { ports } = anotherIsolate();
  const doors = (routes: { method: string; path: string }[]) =>
    routes.map(({ method, path }) => `${method} ${path.replace(':id', 'x')}`).sort();
  expect(doors(ownerApi(ports).routes)).toEqual(
    ['POST /session', ...calls.map(([method, path]) => `${method} /${path}`)].sort(),
  );
  expect(doors(connectionsRoutes(ports).routes)).toEqual(
    ['GET /connections', ...forms.filter((path) => path !== '/signout').map((path) => `POST ${path}`)].sort(),
  );
});

/** How many sessions, tokens, passkeys and codes there are: what a door that opened would change. */
const inside = () =>
  inOwner((sql) =>
    ['session', 'token', 'passkey', 'challenge', 'sign_in_code'].map(
      (table) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n,
    ),
  );

async function tokens(): Promise<[kind: string, headers: Record<string, string>][]> {
  const { secret } = await personalToken(['read', 'write', 'machine']);
  const { access_token } = await connectedApp(['read', 'write', 'machine']);
  return [
    ['a personal token', bearer(secret)],
    ['an app’s token', bearer(access_token)],
    ['a session sent as a bearer', bearer((await signedIn()).secret)],
    ['a token in the session’s cookie', { cookie: `${SESSION_COOKIE}=${secret}` }],
    ['nothing', {}],
  ];
}

describe('nothing but a session', () => {
  it.each(pages)('opens the page %s', async (path) => {
    for (const [kind, headers] of await tokens()) {
      const response = await send(path, { headers, redirect: 'manual' });
      expect(response.status, kind).toBe(303);
      expect(response.headers.get('location'), kind).toMatch(/^\/signin/);
      expect(await response.text(), kind).toBe('');
    }
    expect((await (await signedIn()).send(path)).status).toBe(200);
  });

  it.each(forms)('has the form %s looked at', async (path) => {
    const { csrf } = await signedIn();
    for (const [kind, headers] of await tokens()) {
      const before = await inside();
      const fields = { csrf, name: 'mine', scope: 'machine', days: '365', id: 'x' };
      const response = await browser().submit(path, fields, headers);
      expect(response.status, kind).toBe(303);
      expect(response.headers.get('location'), kind).toMatch(/^\/signin/);
      expect(await inside(), kind).toEqual(before);
    }
  });

  it.each(calls)('may %s /api/owner/%s', async (method, path) => {
    const { csrf } = await signedIn();
    for (const [kind, headers] of await tokens()) {
      const before = await inside();
      const body = method === 'POST' ? '{"name":"mine","scopes":["machine"],"days":365}' : null;
      const all = {
        'content-type': 'application/json',
        'x-csrf-token': csrf,
        'cf-connecting-ip': newAddress(),
        ...headers,
      };
      const response = await send(`/api/owner/${path}`, { method, headers: all, body });
      expect(response.status, kind).toBe(401);
      expect(await response.json(), kind).toMatchObject({ code: 'sign_in_required' });
      expect(await inside(), kind).toEqual(before);
    }
  });

  it('is asked whether an app is let in', async () => {
    const path = authorizePath(await registered());
    for (const [kind, headers] of await tokens()) {
      const response = await send(path, { headers, redirect: 'manual' });
      expect(response.headers.get('location'), kind).toMatch(/^\/signin\?next=/);
      expect(response.headers.getSetCookie(), kind).toEqual([]);
    }
  });

  it('lets an app in', async () => {
    const visitor = await signedIn();
    const { handle, csrf, cookie } = await openConsent(visitor, await registered());
    for (const [kind, headers] of await tokens()) {
      const program = browser();
      program.cookies.set(cookie, visitor.cookies.get(cookie) ?? '');
      const fields = { handle, csrf, scope: ['read'], decision: 'approve' };
      const response = await program.submit('/authorize', fields, headers);
      expect(response.status, kind).toBe(400);
      expect(response.headers.has('location'), kind).toBe(false);
    }
  });

  it('makes a passkey', async () => {
    const { csrf } = await signedIn();
    for (const [kind, headers] of await tokens()) {
      const before = await inside();
      for (const path of ['/passkeys/register/options', '/passkeys/register']) {
        const body = JSON.stringify({ csrf, name: 'mine', response: { id: 'x' } });
        expect((await send(path, { method: 'POST', headers, body })).status, kind).toBe(401);
      }
      expect(await inside(), kind).toEqual(before);
    }
  });
});

describe('a session alone changes nothing', () => {
  it.each(calls.filter(([method]) => method !== 'GET'))(
    'by %s /api/owner/%s without its CSRF token, or from another page',
    async (method, path) => {
      const visitor = await signedIn();
      const other = await signedIn();
      const before = await inside();
      const cookie = `${SESSION_COOKIE}=${visitor.secret}`;
      for (const [headers, status] of [
        [{}, 403],
        [{ 'x-csrf-token': 'A'.repeat(43) }, 403],
        [{ 'x-csrf-token': other.csrf }, 403],
        [{ 'x-csrf-token': visitor.csrf, origin: 'http://localhost:3000' }, 403],
        [{ 'x-csrf-token': visitor.csrf, origin: 'https://evil.example' }, 403],
        [{ 'x-csrf-token': visitor.csrf, origin: 'null' }, 403],
        [{ 'x-csrf-token': visitor.csrf, 'sec-fetch-site': 'cross-site' }, 403],
        [{ 'x-csrf-token': visitor.csrf, 'sec-fetch-site': 'same-site' }, 403],
      ] as const) {
        const body = method === 'POST' ? '{"name":"mine","scopes":["machine"],"days":365}' : null;
        const response = await send(`/api/owner/${path}`, { method, headers: { cookie, ...headers }, body });
        expect(response.status).toBe(status);
      }
      expect(await inside()).toEqual(before);
      expect((await visitor.send('/')).status).toBe(200);
    },
  );

  it.each(forms)('by the form %s without its ticket, or from another page', async (path) => {
    const visitor = await signedIn();
    const before = await inside();
    const fields = { name: 'mine', scope: 'machine', days: '365', id: visitor.id };
    const { csrf } = visitor;
    for (const [more, headers] of [
      [{}, {}],
      [{ csrf: 'A'.repeat(43) }, {}],
      [{ csrf }, { origin: 'http://localhost:3000' }],
      [{ csrf }, { origin: 'https://evil.example' }],
      [{ csrf }, { origin: 'null' }],
      [{ csrf }, { 'sec-fetch-site': 'cross-site' }],
    ] as const) {
      const response = await visitor.submit(path, { ...fields, ...more }, headers);
      expect([303, 403]).toContain(response.status);
      expect((await visitor.send('/')).status).toBe(200);
    }
    expect(await inside()).toEqual(before);
  });

  it('by a GET, which any page can cause', async () => {
    const visitor = await signedIn();
    const before = await inside();
    for (const path of [
      ...forms,
      '/api/owner/tokens',
      '/api/owner/revoke-everything',
      '/api/owner/session',
    ]) {
      const query = new URLSearchParams({ csrf: visitor.csrf, id: visitor.id });
      expect((await visitor.send(`${path}?${query}`)).status).toBe(404);
    }
    expect(await inside()).toEqual(before);
  });
});

describe('a session opens nothing that takes tokens', () => {
  it.each(eras)('not MCP of %s', async (era) => {
    const { secret, csrf, send: visit } = await signedIn();
    const cookie = `${SESSION_COOKIE}=${secret}`;
    expect(await mcpStatus(era, { cookie, 'x-csrf-token': csrf, origin: GATEWAY })).toBe(401);
    expect(await mcpStatus(era, bearer(secret))).toBe(401);
    expect(await mcpStatus(era, bearer(csrf))).toBe(401);
    const stream = await exports.default.fetch(new Request(mcpCall(era, { cookie }), { method: 'POST' }));
    expect(stream.headers.get('www-authenticate')).not.toContain('error=');
    expect((await visit('/mcp')).status).toBe(401);
  });

  it('not REST', async () => {
    const { secret } = await signedIn();
    expect((await post('hello', '{}', bearer(secret))).status).toBe(401);
  });

  it('not what a token may do about itself', async () => {
    const visitor = await signedIn();
    const headers = { 'x-csrf-token': visitor.csrf };
    expect((await visitor.send('/api/token', { method: 'DELETE', headers })).status).toBe(401);
    expect((await visitor.send('/')).status).toBe(200);
  });
});

it('lets the command line in with a session, which is a browser without pages', async () => {
  const visitor = await signedIn();
  expect((await api(visitor, 'GET', 'access')).status).toBe(200);
  expect((await api(visitor, 'POST', 'tokens', { name: 'a', scopes: ['read'], days: 1 })).status).toBe(200);
});
