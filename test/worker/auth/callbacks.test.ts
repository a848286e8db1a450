import { describe, expect, it } from 'vitest';
import { GATEWAY, messageIn, send } from '../http.ts';
import {
  approve,
  authorizePath,
  bearer,
  connectedApp,
  exchange,
  mcpCall,
  mcpStatus,
  openConsent,
  personalToken,
  registered,
  registration,
  signedIn,
  type Tokens,
} from './support.ts';

const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';

describe('an app whose address a program on this computer opens', () => {
  it.each([CURSOR, 'vscode://vscode.github-authentication/did-authenticate', 'com.example.app:/oauth'])(
    'gets its code at %s, and the page says so plainly',
    async (redirect_uri) => {
      const visitor = await signedIn();
      const clientId = await registered({ redirect_uris: [redirect_uri] });
      const consent = await openConsent(visitor, clientId, { redirect_uri });
      const scheme = redirect_uri.slice(0, redirect_uri.indexOf(':'));
      expect(consent.html).toContain(`<strong>${scheme}:</strong> addresses`);
      expect(consent.html).toContain(redirect_uri);
      expect(consent.html).toContain('a program on your own computer');
      const to = (await approve(visitor, consent)).headers.get('location') ?? '';
      expect(to.startsWith(`${redirect_uri}?`)).toBe(true);
      const code = new URL(to).searchParams.get('code') ?? '';
      const { access_token } = await (await exchange(clientId, code, { redirect_uri })).json<Tokens>();
      expect(await mcpStatus('2025', bearer(access_token))).toBe(200);
    },
  );

  it('does not pass for a site by the name in its address', async () => {
    const redirect_uri = 'cursor://claude.ai/api/mcp/auth_callback';
    const visitor = await signedIn();
    const { html } = await openConsent(visitor, await registered({ redirect_uris: [redirect_uri] }), {
      redirect_uri,
    });
    expect(html).not.toContain('<strong>claude.ai</strong>');
    expect(html).toContain('<strong>cursor:</strong>');
  });

  it.each([
    'ms-msdt:/x',
    'x-apple.systempreferences:com.apple.preference.security',
    'intent://x/y',
    'about:blank',
    'search-ms:x',
    'ftp://app.example/x',
    'ws://app.example/x',
    'javascript:alert(1)',
  ])('is refused where the scheme is no app’s: %s', async (redirect_uri) => {
    const response = await registration({ redirect_uris: ['https://app.example/callback', redirect_uri] });
    if (response.status !== 201) return;
    const { client_id } = await response.json<{ client_id: string }>();
    const answer = await (await signedIn()).send(authorizePath(client_id, { redirect_uri }));
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    // What is wrong with a request is told to the address of the request, so it must not be told there.
    const broken = await send(authorizePath(client_id, { redirect_uri, response_type: 'none' }), {
      redirect: 'manual',
    });
    expect([broken.status, broken.headers.get('location')]).toEqual([400, null]);
  });
});

describe('what clients send', () => {
  it('a registration as VS Code sends it, with a grant that there is not', async () => {
    const response = await registration({
      client_name: 'Visual Studio Code',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
      ],
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ grant_types: ['authorization_code', 'refresh_token'] });
  });

  it.each([`${GATEWAY}/mcp`, `${GATEWAY}/mcp/`])('names the resource as %s', async (resource) => {
    const visitor = await signedIn();
    const clientId = await registered();
    const to = (await approve(visitor, await openConsent(visitor, clientId, { resource }))).headers.get(
      'location',
    );
    const code = new URL(to ?? '').searchParams.get('code') ?? '';
    const response = await exchange(clientId, code, { resource });
    expect(response.status).toBe(200);
    const { access_token } = await response.json<Tokens>();
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
  });

  it('calls at `/mcp/`, which a stranger may not either', async () => {
    const { access_token } = await connectedApp();
    const at = { path: '/mcp/' };
    const call = mcpCall('2026', bearer(access_token), at);
    expect(
      (await send('/mcp/', { method: 'POST', headers: call.headers, body: await call.text() })).status,
    ).toBe(200);
    const stranger = mcpCall('2026', {}, at);
    const refused = await send('/mcp/', {
      method: 'POST',
      headers: stranger.headers,
      body: await stranger.text(),
    });
    expect(refused.status).toBe(401);
  });

  it('a call to the console is told the right address', async () => {
    const response = await send('/', { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining(`${GATEWAY}/mcp`) });
  });

  it.each(['*/*', 'application/json, */*;q=0.1', undefined])('accepts %s', async (accept) => {
    const { secret } = await personalToken(['read']);
    const headers = { ...bearer(secret), 'content-type': 'application/json', ...(accept ? { accept } : {}) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const response = await send('/mcp', { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(await messageIn(response)).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  it.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'a cursor that nobody gave out, to %s',
    async (method) => {
      const { secret } = await personalToken(['read']);
      const headers = {
        ...bearer(secret),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { cursor: 'garbage' } });
      const answer = await messageIn(await send('/mcp', { method: 'POST', headers, body }));
      expect(answer).toMatchObject({ error: { code: -32602 } });
    },
  );
});

describe('a client in a browser', () => {
  const origin = 'https://anywhere.example';
  it.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
  ])('may read %s', async (path) => {
    const response = await send(path, { headers: { origin } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    const asked = await send(path, { method: 'OPTIONS', headers: { origin } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it.each([
    ['POST', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/oauth-protected-resource/other'],
    ['GET', '/'],
    ['POST', '/mcp'],
    ['POST', '/oauth/token'],
    ['GET', '/api/owner/session'],
  ])('may do nothing else: %s %s', async (method, path) => {
    expect((await send(path, { method, headers: { origin } })).status).toBe(403);
  });
});
