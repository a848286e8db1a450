import { exports } from 'cloudflare:workers';
import { afterEach, describe, expect, it } from 'vitest';
import { gateOwnerRoutes } from '../../../src/api/gate-routes.ts';
import { ownerApi } from '../../../src/api/owner-api.ts';
import { approvalPages } from '../../../src/console/approvals/approval-pages.tsx';
import { homeRoutes } from '../../../src/console/home/home-routes.tsx';
import { SESSION_COOKIE } from '../../../src/owner/cookies.ts';
import { anotherIsolate, newAddress, type OwnerBrowser, personalToken, signedIn } from '../auth/owner.ts';
import { GATEWAY } from '../http.ts';
import { gateNamed, openRig } from './rig.ts';
import { sendBy } from './ways.ts';

/** The gate that the product itself asks. */
const rig = openRig({ name: 'owner' });

/** An approval that waits in it. */
async function waiting(): Promise<string> {
  const before = rig.announced.all.length;
  await sendBy('url', rig, { args: { path: crypto.randomUUID() } });
  return (await rig.announced.nth(before + 1)).code;
}

const stateOf = async (code: string) => (await gateNamed('owner').approval(code))?.state;

afterEach(async () => {
  for (const { code } of await gateNamed('owner').approvals('pending')) await rig.decide(code, 'deny');
});

/** Sends a decision the way the attack has it, to the API or to the page. */
function decideBy(
  place: 'api' | 'page',
  code: string,
  headers: Record<string, string>,
  { csrf = '', method = 'POST', decision = 'approve' } = {},
): Promise<Response> {
  const body = place === 'api' ? JSON.stringify({ decision }) : new URLSearchParams({ decision, csrf });
  const type = place === 'api' ? { 'content-type': 'application/json', 'x-csrf-token': csrf } : {};
  return exports.default.fetch(
    new Request(`${GATEWAY}${place === 'api' ? '/api/owner' : ''}/approvals/${code}`, {
      method,
      redirect: 'manual',
      headers: { 'cf-connecting-ip': newAddress(), ...type, ...headers },
      ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
    }),
  );
}

const cookieOf = ({ secret }: OwnerBrowser) => ({ cookie: `${SESSION_COOKIE}=${secret}` });

describe('a decision is refused', () => {
  const without: [
    how: string,
    headers: (visit: OwnerBrowser) => Record<string, string> | Promise<Record<string, string>>,
  ][] = [
    ['without a session', () => ({})],
    [
      'with a token of all scopes',
      async () => bearer((await personalToken(['read', 'write', 'machine'])).secret),
    ],
    ['with a session as a bearer', ({ secret }) => bearer(secret)],
    ['with a session of another name', ({ secret }) => ({ cookie: `bowline=${secret}` })],
    [
      'with a session that is over',
      async (visit) => {
        await visit.send('/signout', { method: 'POST', body: new URLSearchParams({ csrf: visit.csrf }) });
        return cookieOf(visit);
      },
    ],
  ];

  it.each(without)('%s', async (_, headersFor) => {
    const code = await waiting();
    const visit = await signedIn();
    const headers = await headersFor(visit);
    const { csrf } = visit;
    const answer = await decideBy('api', code, headers, { csrf });
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'sign_in_required' }]);
    const page = await decideBy('page', code, headers, { csrf });
    expect(page.status).toBe(303);
    expect(page.headers.get('location')).toBe(`/signin?next=${encodeURIComponent(`/approvals/${code}`)}`);
    expect(await stateOf(code)).toBe('pending');
  });

  const forged: [how: string, headers: Record<string, string>, csrf: 'none' | 'another’s' | 'own'][] = [
    ['without the session’s CSRF token', {}, 'none'],
    ['with another session’s CSRF token', {}, 'another’s'],
    ['from another page of this computer', { origin: 'http://localhost:3000' }, 'own'],
    ['from an encrypted page of the same name', { origin: 'https://localhost' }, 'own'],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 'own'],
    ['from a sibling of this site', { 'sec-fetch-site': 'same-site', origin: GATEWAY }, 'own'],
    [
      'from another page that says it is this site',
      { origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' },
      'own',
    ],
  ];

  it.each(forged)('%s', async (_, headers, whose) => {
    const code = await waiting();
    const [visit, other] = [await signedIn(), await signedIn()];
    const csrf = { none: '', 'another’s': other.csrf, own: visit.csrf }[whose];
    const answer = await decideBy('api', code, { ...cookieOf(visit), ...headers }, { csrf });
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'csrf' }]);
    const page = await decideBy('page', code, { ...cookieOf(visit), ...headers }, { csrf });
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(await page.text()).toContain('Nothing was decided');
    expect(await stateOf(code)).toBe('pending');
  });

  it.each(['https://evil.example', 'null', 'file://'])(
    'from a page of %s, before anything is read',
    async (origin) => {
      const code = await waiting();
      const visit = await signedIn();
      for (const place of ['api', 'page'] as const) {
        const answer = await decideBy(place, code, { ...cookieOf(visit), origin }, { csrf: visit.csrf });
        expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'forbidden_origin' }]);
      }
      expect(await stateOf(code)).toBe('pending');
    },
  );

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sent with %s', async (method) => {
    const code = await waiting();
    const visit = await signedIn();
    const headers = { ...cookieOf(visit), 'x-csrf-token': visit.csrf, 'x-http-method-override': 'POST' };
    for (const place of ['api', 'page'] as const) {
      await (await decideBy(place, code, headers, { csrf: visit.csrf, method })).text();
    }
    expect(await stateOf(code)).toBe('pending');
  });

  it.each([
    ['an unknown word', '{"decision":"APPROVE"}', 400],
    ['a state', '{"decision":"consumed"}', 400],
    ['two words', '{"decision":["approve","deny"]}', 400],
    ['one more field', '{"decision":"approve","risk":"read_only"}', 400],
    ['two decisions', '{"decision":"deny","decision":"approve"}', 400],
    ['nothing', '', 400],
    ['a form', 'decision=approve', 400],
    ['something very long', JSON.stringify({ decision: 'approve', x: 'x'.repeat(70_000) }), 413],
  ])('that says %s', async (_, body, status) => {
    const code = await waiting();
    const visit = await signedIn();
    const headers = { ...cookieOf(visit), 'x-csrf-token': visit.csrf, 'content-type': 'application/json' };
    const answer = await exports.default.fetch(
      new Request(`${GATEWAY}/api/owner/approvals/${code}`, { method: 'POST', headers, body }),
    );
    expect([answer.status, await answer.json()]).toMatchObject([status, { code: 'invalid_input' }]);
    expect(await stateOf(code)).toBe('pending');
  });

  it.each([
    ['JSON', JSON.stringify({ decision: 'approve' }), 'application/json'],
    [
      'parts',
      '--x\r\ncontent-disposition: form-data; name="decision"\r\n\r\napprove\r\n--x--',
      'multipart/form-data; boundary=x',
    ],
    ['broken parts', 'decision=approve', 'multipart/form-data'],
    ['text', 'decision=approve', 'text/plain'],
  ])('that comes to the page as %s', async (_, body, type) => {
    const code = await waiting();
    const visit = await signedIn();
    const answer = await visit.send(`/approvals/${code}`, {
      method: 'POST',
      headers: { origin: GATEWAY, 'content-type': type },
      body,
    });
    expect(answer.status).toBe(409);
    expect(await stateOf(code)).toBe('pending');
  });
});

describe('looking decides nothing', () => {
  const { ports: auth } = anotherIsolate();
  const runLate = () => Promise.reject(new Error('nothing runs here'));
  const gate = () => gateNamed('owner');
  const routePorts = { auth, runLate, toolExists: () => true, listChanged: () => undefined, gate };
  // Read from the routes themselves, so that one added tomorrow is looked at as well.
  const paths = [
    ...gateOwnerRoutes(routePorts).routes.map(({ method, path }) => [method, `/api/owner${path}`]),
    ...ownerApi(auth).routes.map(({ method, path }) => [method, `/api/owner${path}`]),
    ...approvalPages(routePorts).routes.map(({ method, path }) => [method, path]),
    ...homeRoutes({ ...routePorts, machines: async () => [] }).routes.map(({ method, path }) => [
      method,
      path,
    ]),
  ]
    .filter(([method]) => method === 'GET')
    .map(([, path = '']) => path);

  it('finds the places to look at', () => {
    expect(paths).toEqual(expect.arrayContaining(['/approvals/:code', '/api/owner/approvals/:code']));
    expect(paths.length).toBeGreaterThan(8);
  });

  it.each(paths)('GET %s', async (path) => {
    const code = await waiting();
    const visit = await signedIn();
    const before = await gateNamed('owner').approval(code);
    const place = path.replace(':code', code).replace(':name', 'rates').replace(':id', code);
    for (const query of ['', `?decision=approve&_method=POST&csrf=${visit.csrf}`]) {
      const headers = { 'x-csrf-token': visit.csrf, 'x-http-method-override': 'POST' };
      await (await visit.send(place + query, { headers })).text();
    }
    expect(await gateNamed('owner').approval(code)).toEqual(before);
    expect(before?.state).toBe('pending');
  });
});

function bearer(secret: string) {
  return { authorization: `Bearer ${secret}` };
}
