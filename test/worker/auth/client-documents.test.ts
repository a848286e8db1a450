import { describe, expect, it } from 'vitest';
import { BlockedUrl } from '../../../src/web/guarded-fetch.ts';
import {
  approve,
  authorizePath,
  bearer,
  browser,
  CALLBACK,
  codeIn,
  exchange,
  mcpStatus,
  newAddress,
  openConsent,
  signedIn,
  type Tokens,
  token,
} from './support.ts';
import { watchedWeb } from './watched-web.ts';

const { reached, web } = watchedWeb();

let documents = 0;
/** Puts a document where no other test has one, since some are kept for a while. */
function document(said: object = {}, init: ResponseInit = {}): string {
  const url = `https://client.example.org/${++documents}/app.json`;
  const honest = { client_id: url, client_name: 'Documented', redirect_uris: [CALLBACK] };
  web[url] = () => Response.json({ ...honest, ...said }, init);
  return url;
}

async function expectRefused(clientId: string, words = 'This app cannot be verified') {
  const response = await (await signedIn()).send(authorizePath(clientId));
  expect(response.status).toBe(400);
  expect(response.headers.has('location')).toBe(false);
  expect(await response.text()).toContain(words);
  // To a stranger it is refused at once, or they are asked to sign in; they are never sent on to the app.
  const stranger = await browser().send(authorizePath(clientId));
  if (stranger.status !== 400) {
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/signin\?/),
    ]);
  }
}

describe('an app that names itself by an address', () => {
  it('is shown with the domain that vouches for it, and can be let in', async () => {
    const clientId = document();
    const visitor = await signedIn();
    const consent = await openConsent(visitor, clientId);
    expect(consent.html).toContain('Let “Documented” use your Bowline?');
    expect(consent.html).toContain('<strong>client.example.org</strong>');
    expect(consent.html).not.toContain('the app chose its own name');
    const answer = await exchange(clientId, codeIn(await approve(visitor, consent)));
    const { access_token } = await answer.json<Tokens>();
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
    expect(new Set(reached)).toEqual(new Set([clientId]));
  });

  it('is held to the addresses in its document', async () => {
    const clientId = document();
    const visitor = await signedIn();
    const redirect_uri = 'https://evil.example/callback';
    const response = await visitor.send(authorizePath(clientId, { redirect_uri }));
    expect(response.status).toBe(400);
    expect(response.headers.has('location')).toBe(false);
  });

  it.each<[string, object, ResponseInit?]>([
    ['names another app', { client_id: 'https://client.example.org/other.json' }],
    ['names none', { client_id: undefined }],
    ['gives no name to show', { client_name: '' }],
    ['gives no address', { redirect_uris: [] }],
    ['gives an address that runs', { redirect_uris: [CALLBACK, 'javascript:alert(1)'] }],
    ['holds a secret', { client_secret: 'x' }],
    ['is over five kilobytes', { padding: 'x'.repeat(6_000) }],
    ['is not there', {}, { status: 404 }],
    ['is an error', {}, { status: 500 }],
  ])('is refused if its document %s', async (_, said, init = {}) => {
    await expectRefused(document(said, init));
  });

  it('is refused if its document is something else', async () => {
    for (const text of ['', '<html>', '[]', 'null', '"x"', '{']) {
      const url = `https://client.example.org/${++documents}`;
      web[url] = () => new Response(text);
      await expectRefused(url);
    }
  });

  it('is not looked up for somebody who is not signed in', async () => {
    const url = document();
    reached.length = 0;
    const response = await browser().send(authorizePath(url));
    expect([response.status, reached]).toEqual([303, []]);
  });

  it('does not repeat what its fetch ran into', async () => {
    const url = `https://client.example.org/${++documents}`;
    web[url] = () => new Response('internal details', { status: 503 });
    const html = await (await (await signedIn()).send(authorizePath(url))).text();
    expect(html).not.toMatch(/503|internal details|HTTP/);
  });
});

const inside = [
  'https://localhost/app.json',
  'https://LOCALHOST/app.json',
  'https://localhost./app.json',
  'https://localhost../app.json',
  'https://a.localhost/app.json',
  'https://127.0.0.1/app.json',
  'https://127.1/app.json',
  'https://2130706433/app.json',
  'https://0x7f000001/app.json',
  'https://0x7f.0.0.1/app.json',
  'https://017700000001/app.json',
  'https://0177.0.0.1/app.json',
  'https://127.0.0.1./app.json',
  'https://127。0。0。1/app.json',
  'https://１２７.0.0.1/app.json',
  'https://%31%32%37.0.0.1/app.json',
  'https://[::1]/app.json',
  'https://[::]/app.json',
  'https://[0:0:0:0:0:0:0:1]/app.json',
  'https://[::ffff:127.0.0.1]/app.json',
  'https://[::ffff:7f00:1]/app.json',
  'https://[64:ff9b::7f00:1]/app.json',
  'https://[2002:7f00:1::]/app.json',
  'https://[fd00::1]/app.json',
  'https://[fe80::1]/app.json',
  'https://10.0.0.1/app.json',
  'https://172.16.0.1/app.json',
  'https://192.168.1.1/app.json',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.100.100.200/latest/meta-data/',
  'https://0/app.json',
  'https://0.0.0.0/app.json',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://router.lan/app.json',
  'https://printer.local/app.json',
  'https://nas.home.arpa/app.json',
  'https://intranet/app.json',
  'https://client.example.org:8443/app.json',
  'https://client.example.org:22/app.json',
  'https://user:pass@client.example.org/app.json',
  'https://client.example.org@127.0.0.1/app.json',
  'https://127.0.0.1\\@client.example.org/app.json',
  'HTTPS://127.0.0.1/app.json',
  'https:127.0.0.1/app.json',
  'https:/127.0.0.1/app.json',
  'https:///127.0.0.1/app.json',
  'ht\ttps://127.0.0.1/app.json',
  ' https://127.0.0.1/app.json',
  'http://127.0.0.1/app.json',
];

describe('an app that names itself by an address inside somebody’s network', () => {
  it.each(inside)('is refused, and nothing is connected to: %j', async (clientId) => {
    await expectRefused(clientId, 'Not granted');
    const response = await token({ grant_type: 'authorization_code', client_id: clientId, code: 'a:b:c' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
    expect(reached).toEqual([]);
  });

  it('is refused whichever of two names is looked at first', async () => {
    const bad = encodeURIComponent('https://127.0.0.1/app.json');
    const good = encodeURIComponent(document());
    for (const query of [
      `client_id=${bad}&client_id=${good}`,
      `client%5Fid=${bad}&client_id=${good}`,
      `client_id=${good}&client%5Fid=${bad}`,
      `%63lient_id=${bad}`,
    ]) {
      const rest = authorizePath('x', { client_id: undefined }).slice('/authorize?'.length);
      await (await browser().send(`/authorize?${query}&${rest}`)).text();
    }
    expect(reached.filter((url) => url.includes('127'))).toEqual([]);
  });

  it.each([
    'https://127.0.0.1/app.json',
    'https://localhost/app.json',
    'https://[::1]/app.json',
    'http://client.example.org/app.json',
    'https://client.example.org:8443/app.json',
    '//10.0.0.1/app.json',
    'file:///etc/passwd',
  ])('is refused if it is led there by a redirect: %s', async (location) => {
    const url = `https://client.example.org/${++documents}`;
    web[url] = () => new Response(null, { status: 302, headers: { location } });
    await expectRefused(url);
    await token({ grant_type: 'authorization_code', client_id: url, code: 'a:b:c' });
    expect(new Set(reached)).toEqual(new Set([url]));
  });

  it('is refused if it is led there by a redirect of a redirect', async () => {
    const url = `https://client.example.org/${++documents}`;
    const next = `https://other.example.org/${documents}`;
    web[url] = () => new Response(null, { status: 307, headers: { location: next } });
    web[next] = () => new Response(null, { status: 307, headers: { location: 'https://192.168.0.1/' } });
    await expectRefused(url);
    expect(new Set(reached)).toEqual(new Set([url, next]));
  });

  it('is refused if its keys are said to be there', async () => {
    const clientId = document();
    const visitor = await signedIn();
    const code = codeIn(await approve(visitor, await openConsent(visitor, clientId)));
    // Once it is let in, its document says something else.
    const keys = {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://169.254.169.254/jwks',
    };
    const named = { client_id: clientId, client_name: 'Documented', redirect_uris: [CALLBACK] };
    web[clientId] = () => Response.json({ ...named, ...keys });
    reached.length = 0;
    const part = (value: object) => btoa(JSON.stringify(value)).replace(/=+$/, '');
    const claims = {
      iss: clientId,
      sub: clientId,
      aud: 'http://localhost',
      jti: 'x',
      exp: Date.now() / 1000 + 60,
    };
    const response = await token({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${part({ alg: 'ES256', typ: 'JWT' })}.${part(claims)}.${'A'.repeat(86)}`,
    });
    expect(response.status).toBe(401);
    expect(reached).toEqual([clientId]);
  });
});

it('cannot be got round by anything in the gateway: the guard is round the one `fetch` there is', async () => {
  for (const url of ['http://127.0.0.1/', 'https://10.0.0.1/', 'http://localhost:8787/']) {
    await expect(fetch(url, { headers: { 'cf-connecting-ip': newAddress() } })).rejects.toThrow(
      expect.objectContaining({ name: BlockedUrl.name }),
    );
  }
  expect(reached).toEqual([]);
});
