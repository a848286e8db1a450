import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { gateOwnerRoutes } from '../../../src/api/gate-routes.ts';
import { ownerApi } from '../../../src/api/owner-api.ts';
import { connectionsRoutes } from '../../../src/console/access/connections-routes.tsx';
import { approvalPages } from '../../../src/console/approvals/approval-pages.tsx';
import { homeRoutes } from '../../../src/console/home/home-routes.tsx';
import { SESSION_COOKIE } from '../../../src/owner/cookies.ts';
import { GATEWAY } from '../http.ts';
import { anotherIsolate, bearer, connectedApp, newAddress, personalToken, signedIn } from './support.ts';

// Read from the routes themselves, so that one added tomorrow is tried as well.
const { ports: auth } = anotherIsolate();
const gatePorts = {
  auth,
  runLate: () => Promise.reject(new Error('only the routes are looked at')),
  toolExists: () => true,
  listChanged: () => undefined,
  gate: () => {
    throw new Error('only the routes are looked at');
  },
};

interface Door {
  readonly method: string;
  readonly path: string;
}
const doors = (routes: readonly Door[], prefix = ''): [method: string, path: string][] =>
  routes.map(({ method, path }) => [method, prefix + path.replace(/:\w+/g, 'x')]);

const api = [...ownerApi(auth).routes, ...gateOwnerRoutes(gatePorts).routes];
const apiDoors = doors(api, '/api/owner').filter(
  ([method, path]) => `${method} ${path}` !== 'POST /api/owner/session',
);
const pageDoors = [
  homeRoutes({ ...gatePorts, machines: async () => [] }),
  connectionsRoutes(auth),
  approvalPages(gatePorts),
].flatMap(({ routes }) => doors(routes));

function knock(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const request = new Request(GATEWAY + path, {
    method,
    redirect: 'manual',
    headers: { 'cf-connecting-ip': newAddress(), ...headers },
    ...(method === 'GET' ? {} : { body: new URLSearchParams({ decision: 'approve' }) }),
  });
  return exports.default.fetch(request);
}

/** Everything that opens other doors, each with a CSRF token that is good for some session. */
async function otherKeys(): Promise<[kind: string, headers: Record<string, string>][]> {
  const { secret } = await personalToken(['read', 'write', 'machine']);
  const { access_token, refresh_token } = await connectedApp(['read', 'write', 'machine']);
  const visitor = await signedIn();
  const csrf = { 'x-csrf-token': visitor.csrf };
  return [
    ['nothing', {}],
    ['a personal token', { ...csrf, ...bearer(secret) }],
    ['an app’s token', { ...csrf, ...bearer(access_token) }],
    ['an app’s refresh token', { ...csrf, ...bearer(refresh_token) }],
    ['a session as a bearer', { ...csrf, ...bearer(visitor.secret) }],
    ['a personal token as a session', { ...csrf, cookie: `${SESSION_COOKIE}=${secret}` }],
    [
      'a session sent twice',
      { ...csrf, cookie: Array(2).fill(`${SESSION_COOKIE}=${visitor.secret}`).join('; ') },
    ],
  ];
}

it('finds the doors', () => {
  expect(apiDoors.length).toBeGreaterThan(15);
  expect(pageDoors.length).toBeGreaterThan(8);
});

describe.each(apiDoors)('%s %s', (method, path) => {
  it('is opened by a session and by nothing else', async () => {
    for (const [kind, headers] of await otherKeys()) {
      const response = await knock(method, path, headers);
      expect(response.status, kind).toBe(401);
      expect(await response.json(), kind).toMatchObject({ code: 'sign_in_required' });
    }
  });
});

describe.each(apiDoors.filter(([method]) => method !== 'GET'))('%s %s', (method, path) => {
  it('takes a session’s own CSRF token, sent from nowhere else', async () => {
    const visitor = await signedIn();
    const cookie = `${SESSION_COOKIE}=${visitor.secret}`;
    const csrf = { 'x-csrf-token': visitor.csrf };
    for (const headers of [
      {},
      { 'x-csrf-token': (await signedIn()).csrf },
      { ...csrf, origin: 'http://localhost:3000' },
      { ...csrf, origin: 'https://evil.example' },
      { ...csrf, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await knock(method, path, { cookie, ...headers })).status).toBe(403);
    }
  });
});

describe.each(pageDoors)('%s %s', (method, path) => {
  it('is opened by a session and by nothing else', async () => {
    for (const [kind, headers] of await otherKeys()) {
      const response = await knock(method, path, headers);
      expect(response.status, kind).toBe(303);
      expect(response.headers.get('location'), kind).toMatch(/^\/signin/);
      expect(await response.text(), kind).toBe('');
    }
  });
});
