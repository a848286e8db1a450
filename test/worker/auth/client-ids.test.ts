import { describe, expect, it } from 'vitest';
import { clientNamed } from '../../../src/owner/client-id.ts';
import { send } from '../http.ts';
import {
  approve,
  authorizePath,
  browser,
  CALLBACK,
  codeIn,
  exchange,
  openConsent,
  refresh,
  registered,
  signedIn,
  type Tokens,
  token,
} from './support.ts';
import { watchedWeb } from './watched-web.ts';

const { reached, web } = watchedWeb();

let documents = 0;
function document(said: object = {}): string {
  const url = `https://ids.example.org/${++documents}/app.json`;
  web[url] = () =>
    Response.json({ client_id: url, client_name: 'Documented', redirect_uris: [CALLBACK], ...said });
  return url;
}

/** Every character as its bytes in hex, which the parser of a URL's query reads like the character. */
const spelt = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const asked = (clientId: string) => {
  const rest = authorizePath('x', { client_id: undefined }).slice('/authorize?'.length);
  return `/authorize?client_id=${clientId}&${rest}`;
};

describe('the id of an app that asks to be let in', () => {
  it.each([
    ['ends in a byte that does not decode', `${spelt('https://ids.example.org/app.json')}%ff`],
    ['begins with one', `%ff${spelt('https://ids.example.org/app.json')}`],
    ['ends in half a character', `${spelt('https://ids.example.org/app.json')}%e2%82`],
    ['is cut within an escape', `${spelt('https://ids.example.org/app.json')}%`],
    ['has one in an address of a network', `${spelt('https://10.0.0.1/app.json')}%ff`],
    ['has one in plain letters', 'https://ids.example.org/app.json%ff'],
    ['is an address in another spelling', 'https://IDS.example.org/app.json'],
    ['has dots in its path', 'https://ids.example.org/a/../app.json'],
    ['has a fragment', 'https://ids.example.org/app.json%23part'],
    ['has white space in front', '+https://ids.example.org/app.json'],
    ['has a line end within', 'https://ids.example%0a.org/app.json'],
    ['is not https', 'http://ids.example.org/app.json'],
  ])('is refused before anything is fetched, signed in or not, if it %s', async (_, clientId) => {
    for (const visitor of [browser(), await signedIn()]) {
      const response = await visitor.send(asked(clientId));
      expect(response.status).toBe(400);
      expect(response.headers.has('location')).toBe(false);
      expect(await response.text()).toContain('This app cannot be verified');
    }
    expect(reached).toEqual([]);
  });

  it('is refused if there are two', async () => {
    const good = encodeURIComponent(document());
    for (const query of [`${good}&client_id=${good}`, `${good}&client%5fid=AAAAAAAAAAAAAAAA`]) {
      expect((await (await signedIn()).send(asked(query))).status).toBe(400);
    }
    expect(reached).toEqual([]);
  });

  it('means one thing: a name given here, an address that stays the same when parsed, or nothing', () => {
    expect(clientNamed('AbC123_-.~').kind).toBe('registered');
    expect(clientNamed('https://claude.ai/oauth/mcp-oauth-client-metadata').kind).toBe('document');
    for (const id of ['', 'a b', 'x:y', '../grant:owner:x', 'https://ids.example.org', 'x'.repeat(201)]) {
      expect(clientNamed(id).kind, id).toBe('refused');
    }
    expect(clientNamed(`https://ids.example.org/${'x'.repeat(3_000)}`).kind).toBe('refused');
  });
});

describe('the endpoint for tokens', () => {
  const basic = (name: string) => ({ authorization: `Basic ${btoa(`${name}:secret`)}` });
  const assertion = (iss: string) => `e30.${btoa(JSON.stringify({ iss })).replace(/=+$/, '')}.AAAA`;
  const code = { grant_type: 'authorization_code', code: 'owner:AAAAAAAAAAAAAAAA:x' };
  const post = (
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    path = '/oauth/token',
  ) => send(path, { method: 'POST', headers, body: new URLSearchParams(fields) });

  it.each<[string, (id: string) => Promise<Response>]>([
    ['in the form', (id) => post({ ...code, client_id: id })],
    [
      'for a refresh',
      (id) => post({ grant_type: 'refresh_token', refresh_token: 'owner:A:x', client_id: id }),
    ],
    ['for a revocation', (id) => post({ token: 'owner:A:x', client_id: id })],
    ['with no grant at all', (id) => post({ grant_type: 'client_credentials', client_id: id })],
    ['as a name with a password', (id) => post(code, basic(id))],
    ['as such a name, encoded', (id) => post(code, basic(encodeURIComponent(id)))],
    [
      'as the signer of an assertion',
      (id) =>
        post({
          ...code,
          client_assertion: assertion(id),
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        }),
    ],
    ['with a byte that does not decode', (id) => post({ ...code, client_id: `${id}\uFFFD` })],
    ['at an address with a slash more', (id) => post({ ...code, client_id: id }, {}, '/oauth/token/')],
  ])('fetches no document for a stranger who names one %s', async (_, ask) => {
    const response = await ask(document());
    expect(response.ok).toBe(false);
    expect(reached).toEqual([]);
  });

  it('fetches the document of an app with a grant of its own, and of no other with that grant', async () => {
    const clientId = document();
    const visitor = await signedIn();
    const answer = await exchange(
      clientId,
      codeIn(await approve(visitor, await openConsent(visitor, clientId))),
    );
    expect(answer.status).toBe(200);
    const { access_token, refresh_token } = await answer.json<Tokens>();
    reached.length = 0;
    expect((await refresh(document(), refresh_token)).status).toBe(401);
    expect(reached).toEqual([]);
    expect((await refresh(clientId, refresh_token)).status).toBe(200);
    expect((await post({ token: access_token, client_id: clientId })).status).toBe(200);
    expect(new Set(reached)).toEqual(new Set([clientId]));
  });

  const long = `${'u'.repeat(300)}:${'g'.repeat(300)}:x`;
  it.each<[string, Record<string, string>]>([
    ['an id', { ...code, client_id: 'c'.repeat(600) }],
    ['an address', { ...code, client_id: `https://ids.example.org/${'c'.repeat(600)}` }],
    ['a code', { ...code, code: long }],
    ['a refresh token', { grant_type: 'refresh_token', refresh_token: long }],
    ['a token to revoke', { token: long }],
  ])('refuses %s that is too long to look up', async (_, fields) => {
    const client_id = await registered();
    const response = await post({ client_id, ...fields });
    expect(response.status, await response.text()).toBeLessThan(500);
  });

  it('refuses an app with a long name and password, and a long token, without a fault of its own', async () => {
    expect((await post(code, basic('c'.repeat(600)))).status).toBeLessThan(500);
    const bearer = `Bearer ${'u'.repeat(240)}:${'g'.repeat(240)}:x`;
    for (const path of ['/mcp', '/tools/list_repo']) {
      const response = await send(path, { method: 'POST', headers: { authorization: bearer } });
      expect(response.status, path).toBe(401);
    }
  });

  it.each(['c'.repeat(600), `https://ids.example.org/${'c'.repeat(600)}`])(
    'nobody is sent on for an app with an id of 600 characters',
    async (clientId) => {
      for (const visitor of [browser(), await signedIn()])
        expect((await visitor.send(authorizePath(clientId))).status).toBe(400);
    },
  );

  it('still serves an app that is registered, and says what is wrong with a form it cannot read', async () => {
    const clientId = await registered();
    expect(await (await post({ ...code, client_id: clientId })).json()).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await (await post({ ...code, client_id: 'nobody' })).json()).toMatchObject({
      error: 'invalid_client',
    });
    const large = await token({ ...code, client_id: clientId, padding: 'x'.repeat(70_000) });
    expect([large.status, await large.json()]).toEqual([
      413,
      expect.objectContaining({ error: 'invalid_request' }),
    ]);
    const headers = { 'content-type': 'application/json' };
    expect((await send('/oauth/token', { method: 'POST', headers, body: '{}' })).status).toBe(400);
  });
});
