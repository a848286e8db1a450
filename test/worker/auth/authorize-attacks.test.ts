import { describe, expect, it } from 'vitest';
import { consentRoutes } from '../../../src/console/access/consent-routes.tsx';
import { SESSION_COOKIE } from '../../../src/owner/cookies.ts';
import { GATEWAY } from '../http.ts';
import {
  anotherIsolate,
  authorizePath,
  browser,
  CALLBACK,
  CHALLENGE,
  openConsent,
  registered,
  registration,
  signedIn,
} from './support.ts';

/** Not granted, told so here, and sent nowhere. */
async function expectShownHere(response: Response) {
  expect(response.status).toBe(400);
  expect(response.headers.has('location')).toBe(false);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  const html = await response.text();
  expect(html).toContain('Not granted');
  expect(html).not.toContain('name="handle"');
}

/** Not granted, and the app told why, at the address that is known to be its own. */
function expectSentBack(response: Response, error: string) {
  expect(response.status).toBe(303);
  const { origin, pathname, searchParams } = new URL(response.headers.get('location') ?? '');
  expect(origin + pathname).toBe(CALLBACK);
  expect(Object.fromEntries(searchParams)).toMatchObject({ error, state: 'the state', iss: GATEWAY });
  expect(searchParams.has('code')).toBe(false);
}

describe('an app that cannot be told from another', () => {
  it.each([
    ['no name', { client_id: undefined }],
    ['an empty name', { client_id: '' }],
    ['an unknown name', { client_id: 'AAAAAAAAAAAAAAAA' }],
    ['the name of something else in the store', { client_id: '../grant:owner:x' }],
  ])('is not shown to the owner: %s', async (_, asked) => {
    const visitor = await signedIn();
    await expectShownHere(await visitor.send(authorizePath(await registered(), asked)));
  });
});

describe('an address that is not the app’s', () => {
  it.each([
    ['none', undefined],
    ['empty', ''],
    ['with a slash more', `${CALLBACK}/`],
    ['with a letter less', CALLBACK.slice(0, -1)],
    ['with a letter more', `${CALLBACK}s`],
    ['in another case', 'https://app.example/Callback'],
    ['its host in another case', 'https://App.example/callback'],
    ['with its port spelt out', 'https://app.example:443/callback'],
    ['on another port', 'https://app.example:444/callback'],
    ['without encryption', 'http://app.example/callback'],
    ['with a query', `${CALLBACK}?a=1`],
    ['with an empty query', `${CALLBACK}?`],
    ['with a fragment', `${CALLBACK}#a`],
    ['with a user', 'https://user@app.example/callback'],
    ['under another host', 'https://app.example.evil.example/callback'],
    ['at a host that ends alike', 'https://evilapp.example/callback'],
    ['with the host for a user', 'https://app.example@evil.example/callback'],
    ['with a backslash', 'https://app.example\\@evil.example/callback'],
    ['with steps in the path', 'https://app.example/x/../callback'],
    ['with an encoded letter', 'https://app.example/c%61llback'],
    ['with a space before', ` ${CALLBACK}`],
    ['with a space after', `${CALLBACK} `],
    ['with a line end', `${CALLBACK}\n`],
    ['without a scheme', '//app.example/callback'],
    ['a path of ours', '/connections'],
    ['a page of ours', `${GATEWAY}/connections`],
  ])('is sent nothing, not even an error: %s', async (_, redirect_uri) => {
    const clientId = await registered();
    for (const visitor of [await signedIn(), browser()]) {
      await expectShownHere(await visitor.send(authorizePath(clientId, { redirect_uri })));
    }
  });

  it('may differ in the port alone where the app runs on the owner’s computer', async () => {
    const clientId = await registered({ redirect_uris: ['http://127.0.0.1/callback'] });
    const visitor = await signedIn();
    const at = (redirect_uri: string) => visitor.send(authorizePath(clientId, { redirect_uri }));
    expect((await at('http://127.0.0.1:51234/callback')).status).toBe(200);
    for (const wrong of [
      'http://127.0.0.1:51234/callbac',
      'http://127.0.0.1:51234/callback?a=1',
      'http://localhost:51234/callback',
      'http://127.0.0.2:51234/callback',
      'https://127.0.0.1:51234/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://127.0.0.1@evil.example/callback',
    ]) {
      await expectShownHere(await at(wrong));
    }
  });

  it('is warned about where it is the owner’s own computer, which anybody’s program may listen on', async () => {
    const redirect_uri = 'http://localhost:8123/callback';
    const clientId = await registered({ redirect_uris: [redirect_uri] });
    const { html } = await openConsent(await signedIn(), clientId, { redirect_uri });
    expect(html).toContain('a program on your own computer');
  });
});

describe('an address that runs instead of being visited', () => {
  const dangerous = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'jAvAsCrIpT:alert(1)//https://app.example',
    ' javascript:alert(1)',
    '\tjavascript:alert(1)',
    '\u00a0javascript:alert(1)',
    '\u200bjavascript:alert(1)',
    'java\nscript:alert(1)',
    'java\u0000script:alert(1)',
    'javascript://app.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'DATA:text/html;base64,PHNjcmlwdD4=',
    ' data:text/html,x',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://app.example/x',
    'mailto:a@app.example',
  ];

  it.each(dangerous)('cannot be registered, alone or beside a good one: %j', async (uri) => {
    for (const redirect_uris of [[uri], [CALLBACK, uri], [uri, CALLBACK]]) {
      const response = await registration({ redirect_uris });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: 'invalid_client_metadata' });
    }
  });

  it.each(dangerous)('cannot be asked for: %j', async (redirect_uri) => {
    const visitor = await signedIn();
    await expectShownHere(await visitor.send(authorizePath(await registered(), { redirect_uri })));
  });

  it.each([
    'http://evil.example/callback',
    'https://user:pass@app.example/callback',
    `${CALLBACK}#fragment`,
    'app.example/callback',
    '//app.example/callback',
    '',
  ])('no more than one that is not an encrypted address: %j', async (uri) => {
    expect((await registration({ redirect_uris: [uri] })).status).toBe(400);
  });

  it('is refused when asked for, where an app may list it because it runs in many places', async () => {
    for (const redirect_uri of [
      'about:blank',
      'ms-msdt:/id',
      'http://evil.example/callback',
      'intent://x#Intent;end',
    ]) {
      const response = await registration({ redirect_uris: [CALLBACK, redirect_uri] });
      if (response.status !== 201) continue;
      const { client_id } = await response.json<{ client_id: string }>();
      await expectShownHere(await (await signedIn()).send(authorizePath(client_id, { redirect_uri })));
    }
  });
});

describe('a question that is unsafe', () => {
  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a method without a challenge', { code_challenge: undefined }, 'invalid_request'],
    [
      'a challenge without a method, which means plain',
      { code_challenge_method: undefined },
      'invalid_request',
    ],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['S256 in small letters', { code_challenge_method: 's256' }, 'invalid_request'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['both', { response_type: 'code token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a page of ours for a resource', { resource: `${GATEWAY}/connections` }, 'invalid_target'],
  ])('is sent back: %s', async (_, asked, error) => {
    const visitor = await signedIn();
    expectSentBack(await visitor.send(authorizePath(await registered(), asked)), error);
  });

  it.each([
    { codeChallenge: undefined },
    { codeChallengeMethod: 'plain' },
    { codeChallengeMethod: undefined },
  ])('is refused by the page itself, should the library let it through: %j', async (changed) => {
    const visitor = await signedIn();
    const request = () =>
      new Request(GATEWAY + path, { headers: { cookie: `${SESSION_COOKIE}=${visitor.secret}` } });
    const path = authorizePath(await registered());
    const { ports } = anotherIsolate();
    const asked = await ports.oauth.parseAuthRequest(request());
    const lax = new Proxy(ports.oauth, {
      get: (real, name) =>
        name === 'parseAuthRequest' ? async () => ({ ...asked, ...changed }) : Reflect.get(real, name),
    });
    const answer = await consentRoutes({ ...ports, oauth: lax }).fetch(request());
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('unsafe way')]);
  });

  it('is not made safe by asking twice', async () => {
    const visitor = await signedIn();
    const path = authorizePath(await registered(), { code_challenge_method: 'plain' });
    expectSentBack(await visitor.send(`${path}&code_challenge_method=S256`), 'invalid_request');
    const first = authorizePath(await registered(), { redirect_uri: 'https://evil.example/' });
    await expectShownHere(await visitor.send(`${first}&redirect_uri=${encodeURIComponent(CALLBACK)}`));
  });

  it('is held to what was asked when the page was opened, whatever the form says', async () => {
    const visitor = await signedIn();
    const { handle, csrf } = await openConsent(visitor, await registered());
    const more = {
      redirect_uri: 'https://evil.example/',
      client_id: await registered({ redirect_uris: ['https://evil.example/'] }),
      state: 'mine',
      code_challenge: CHALLENGE.replace(/^./, 'x'),
      userId: 'mallory',
    };
    const fields = { handle, csrf, scope: ['read'], decision: 'approve', ...more };
    const location = (await visitor.submit('/authorize', fields)).headers.get('location') ?? '';
    expect(location.startsWith(`${CALLBACK}?code=owner`)).toBe(true);
    expect(new URL(location).searchParams.get('state')).toBe('the state');
  });
});

it('is asked at its own address alone', async () => {
  const visitor = await signedIn();
  const path = authorizePath(await registered());
  expect((await visitor.send(path)).status).toBe(200);
  for (const other of ['/authorize/', '/Authorize', '/oauth/authorize']) {
    expect((await visitor.send(path.replace('/authorize', other))).status).toBe(404);
  }
});
