import { afterEach, describe, expect, it, vi } from 'vitest';
import { KEY_FIELD } from '../../../src/console/access/proof-page.tsx';
import { needsOf, OWNER_ROUTES } from '../../../src/owner/owner-changes.ts';
import { newAuthenticator } from '../../support/authenticator.ts';
import { TEST_OWNER_KEY as KEY } from '../../support/owner-key.ts';
import { GATEWAY } from '../http.ts';
import {
  api,
  type Browser,
  browser,
  cookiesIn,
  inOwner,
  later,
  type OwnerBrowser,
  owner,
  signedIn,
} from './owner.ts';

const MINUTE = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  for (const { id } of await owner().passkeys()) await owner().removePasskey(id);
});

/** Somebody who copied the owner's cookie a while after the owner signed in. */
async function thief(): Promise<OwnerBrowser> {
  const own = await signedIn();
  later(5 * MINUTE);
  return own;
}

/** One request to a route, as whoever holds the cookie would send it. */
function attempt(visit: OwnerBrowser, route: string, body: object = {}): Promise<Response> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/:\w+/g, 'x');
  if (path.startsWith('/api/owner/')) {
    return api(visit, method, path.slice('/api/owner/'.length), method === 'GET' ? undefined : body);
  }
  if (path.startsWith('/api/')) {
    const headers = { 'content-type': 'application/json', 'x-csrf-token': visit.csrf };
    return visit.send(path, { method, headers, body: JSON.stringify(body) });
  }
  if (path.startsWith('/passkeys/')) {
    return visit.send(path, {
      method,
      headers: { 'content-type': 'application/json', origin: GATEWAY },
      body: JSON.stringify({ csrf: visit.csrf, name: 'x', response: { id: 'x' }, ...body }),
    });
  }
  return visit.submit(path, { csrf: visit.csrf, ...(body as Record<string, string>) });
}

const asksForProof = async (answer: Response) => {
  const text = await answer.text();
  return (
    answer.status === 403 && (/"code":"proof_needed"/.test(text) || text.includes('<h1>Is it you?</h1>'))
  );
};

const routesThatNeed = (needs: string) =>
  Object.keys(OWNER_ROUTES).filter((route) => OWNER_ROUTES[route] === needs);

describe('a stolen session cookie', () => {
  it.each(routesThatNeed('fresh'))('cannot use %s', async (route) => {
    expect(await asksForProof(await attempt(await thief(), route))).toBe(true);
  });

  it.each([
    ['POST /rules', { ...ruleForm(), effect: 'allow' }],
    ['POST /machines/pair', { code: 'x', decision: 'confirm' }],
    ['POST /servers/grade', { name: 'x', tool: 'x', hash: '0'.repeat(64), grade: 'read_only' }],
    ['POST /servers/grade', { name: 'x', tool: 'x', hash: '0'.repeat(64), grade: 'safe_write' }],
    ['POST /authorize', { handle: 'x', decision: 'approve', scope: 'read' }],
    ['POST /api/owner/machines/pair/:code', { decision: 'confirm', fingerprint: 'x' }],
    ['POST /api/owner/servers/:name/grade', { tool: 'x', hash: '0'.repeat(64), grade: 'safe_write' }],
  ])('cannot let more happen by %s', async (route, body) => {
    expect(OWNER_ROUTES[route]).toBe('sometimes');
    expect(await asksForProof(await attempt(await thief(), route, body))).toBe(true);
  });

  it.each(routesThatNeed('session').filter((route) => !/revoke|signout|session/.test(route)))(
    'can use %s, which lasts for nobody',
    async (route) => {
      expect(await asksForProof(await attempt(await thief(), route))).toBe(false);
    },
  );

  it('makes no token, no passkey and no rule, whatever it sends', async () => {
    const copy = await thief();
    await api(copy, 'POST', 'tokens', { name: 'mine', scopes: ['read'], days: 365 });
    await copy.submit('/connections/tokens', { csrf: copy.csrf, name: 'mine', scope: 'read', days: '365' });
    const options = await attempt(copy, 'POST /passkeys/register/options');
    expect(await options.json()).toMatchObject({ code: 'proof_needed' });
    const { tokens, passkeys } = await owner().access();
    expect([tokens, passkeys]).toEqual([[], []]);
  });

  it('makes nothing of a challenge that was given out while its session was proven', async () => {
    const own = await signedIn();
    const options = await attempt(own, 'POST /passkeys/register/options');
    const { challenge } = await options.json<{ challenge: string }>();
    later(5 * MINUTE);
    await inOwner((sql) => void sql.exec('UPDATE challenge SET expires_at = expires_at + 600000'));
    const key = newAuthenticator({ origin: GATEWAY, rpId: 'localhost', counter: 1, verified: true });
    const made = await attempt(own, 'POST /passkeys/register', { response: key.made(challenge) });
    expect(await made.json()).toMatchObject({ code: 'proof_needed' });
    expect(await owner().passkeys()).toEqual([]);
  });

  it('is worth nothing once the owner has proven that it is them, and cannot wait for that', async () => {
    const copy = await thief();
    const own: Browser = browser();
    for (const [name, value] of copy.cookies) own.cookies.set(name, value);
    const form = { csrf: copy.csrf, name: 'report', scope: 'read', days: '1' };
    const made = await own.submit('/connections/tokens', { ...form, [KEY_FIELD]: KEY });
    expect(made.status).toBe(200);
    expect(await made.text()).toContain('bwl_pat_');
    expect((await own.send('/connections')).status).toBe(200);
    const after = await copy.submit('/connections/tokens', form);
    expect([after.status, after.headers.get('location')]).toEqual([303, '/signin?next=%2Fconnections']);
    for (const { id } of (await owner().access()).tokens) await owner().revokeToken(id);
  });
});

describe('the page that asks for a proof', () => {
  it('sends the whole form again, and goes on with it once the owner key is right', async () => {
    const own = await thief();
    const form = { csrf: own.csrf, name: 'a "report" <b>', scope: ['read', 'write'], days: '7' };
    const asked = await (await own.submit('/connections/tokens', form)).text();
    expect(asked).toContain('action="/connections/tokens"');
    expect(asked).toContain('name="name" value="a &quot;report&quot; &lt;b&gt;"');
    expect(asked.match(/name="scope"/g)).toHaveLength(2);
    expect(asked).not.toContain('data-passkey');
    const wrong = await own.submit('/connections/tokens', { ...form, [KEY_FIELD]: `${KEY.slice(0, -1)}A` });
    expect([wrong.status, (await wrong.text()).includes('That is not the owner key.')]).toEqual([403, true]);
    expect((await owner().access()).tokens).toEqual([]);
    const right = await own.submit('/connections/tokens', { ...form, [KEY_FIELD]: KEY });
    expect(right.status).toBe(200);
    const [token] = (await owner().access()).tokens;
    expect(token).toMatchObject({ name: 'a "report" <b>', scopes: ['read', 'write'] });
    await owner().revokeToken(token?.id ?? '');
  });

  it('takes no key from a page of somebody else, nor without the form’s ticket', async () => {
    const own = await thief();
    const form = { name: 'x', scope: 'read', days: '7', [KEY_FIELD]: KEY };
    await own.submit('/connections/tokens', { ...form, csrf: 'wrong' });
    await own.submit('/connections/tokens', { ...form, csrf: own.csrf }, { origin: 'https://evil.example' });
    expect((await owner().access()).tokens).toEqual([]);
  });

  it('offers a passkey where there is one, and leads back to where a script was', async () => {
    const own = await thief();
    const key = { id: 'a-key', publicKey: new ArrayBuffer(8), counter: 0, transports: [], name: 'Phone' };
    await owner().savePasskey(key);
    const asked = await (await own.send('/prove?next=/connections')).text();
    expect(asked).toContain('data-passkey="confirm"');
    expect(asked).toContain('/assets/passkeys.js');
    const form = { csrf: own.csrf, [KEY_FIELD]: KEY };
    const back = await own.submit('/prove', { ...form, next: 'https://evil.example/' });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/']);
    const [, secret = ''] = [...cookiesIn(back)].find(([name]) => name === '__Host-bowline') ?? [];
    expect((await owner().session(secret.split('.')[0] ?? ''))?.provenAt).toBe(Date.now());
  });
});

it('a change that nobody decided about asks for a proof, and looking does not', () => {
  expect(needsOf('POST', '/something/new')).toBe('fresh');
  expect(needsOf('GET', '/something/new')).toBe('session');
});

function ruleForm() {
  const empty = { regex: '', argv: '', machine: '', note: '', maxUses: '' };
  const rest = { kind: 'arguments', operands: 'none', days: '30', fields: 'name = Ada' };
  return { ...empty, ...rest, tool: 'hello', must: '{"name":"Ada"}', mustNot: '{"name":"Eve"}' };
}
