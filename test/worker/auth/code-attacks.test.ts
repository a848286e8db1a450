import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { send } from '../http.ts';
import {
  approve,
  authorizePath,
  bearer,
  codeIn,
  connectedApp,
  exchange,
  later,
  mcpStatus,
  openConsent,
  refresh,
  registered,
  registration,
  signedIn,
  type Tokens,
  token,
  VERIFIER,
} from './support.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A code that the owner has just approved, not exchanged yet. */
async function freshCode(said: object = {}) {
  const visitor = await signedIn();
  const clientId = await registered(said);
  const code = codeIn(await approve(visitor, await openConsent(visitor, clientId)));
  return { visitor, clientId, code };
}

const errorIn = async (response: Response) => {
  expect(response.status).toBe(400);
  return (await response.json<{ error: string }>()).error;
};

/** Within a minute, the same request is a repeat by the network, and gets the same answer. */
const afterTheMinute = () => later(61_000);

describe('a code that is used twice', () => {
  it('gives nothing the second time, and takes back what it gave the first time', async () => {
    const { clientId, code, access_token, refresh_token } = await connectedApp();
    afterTheMinute();
    expect(await errorIn(await exchange(clientId, code))).toBe('invalid_grant');
    expect(await mcpStatus('2025', bearer(access_token))).toBe(401);
    expect(await mcpStatus('2026', bearer(access_token))).toBe(401);
    expect(await errorIn(await refresh(clientId, refresh_token))).toBe('invalid_grant');
  });

  it('takes back what was refreshed from it, too', async () => {
    const { clientId, code, refresh_token } = await connectedApp();
    const second = await (await refresh(clientId, refresh_token)).json<Tokens>();
    afterTheMinute();
    expect(await errorIn(await exchange(clientId, code))).toBe('invalid_grant');
    expect(await mcpStatus('2026', bearer(second.access_token))).toBe(401);
    expect(await errorIn(await refresh(clientId, second.refresh_token))).toBe('invalid_grant');
  });

  it('is believed for five seconds more at the most by an isolate that saw the token work', async () => {
    const { clientId, code, access_token } = await connectedApp();
    afterTheMinute();
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
    await exchange(clientId, code);
    later(5_001);
    expect(await mcpStatus('2026', bearer(access_token))).toBe(401);
  });

  it('takes back nothing if whoever sends it did not have all of it', async () => {
    const { clientId, code, access_token } = await connectedApp();
    const wrong = code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A');
    expect(await errorIn(await exchange(clientId, wrong))).toBe('invalid_grant');
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
  });
});

describe('a code that was stolen', () => {
  it('is of no use to another app, and stays good for its own', async () => {
    const { clientId, code } = await freshCode();
    expect(await errorIn(await exchange(await registered(), code))).toBe('invalid_grant');
    expect((await exchange(clientId, code)).status).toBe(200);
  });

  it.each<[string, string | undefined, string]>([
    ['no verifier', '', 'invalid_request'],
    ['another verifier', 'w'.repeat(64), 'invalid_grant'],
    ['the verifier and more', `${VERIFIER}v`, 'invalid_grant'],
    ['the challenge for a verifier', 'challenge', 'invalid_grant'],
  ])('is of no use with %s', async (_, verifier, error) => {
    const { clientId, code } = await freshCode();
    const response = await exchange(clientId, code, { code_verifier: verifier ?? '' });
    expect(await errorIn(response)).toBe(error);
  });

  it.each([
    'https://app.example/callback/',
    'https://app.example/callbac',
    'https://app.example/Callback',
    'https://app.example/callback?a=1',
    'http://app.example/callback',
    'https://other.example/callback',
  ])('is of no use with another address than it was sent to: %s', async (redirect_uri) => {
    const { clientId, code } = await freshCode();
    expect(await errorIn(await exchange(clientId, code, { redirect_uri }))).toBe('invalid_grant');
  });

  it('is of no use with another address of the same app', async () => {
    const redirect_uris = ['https://app.example/callback', 'https://app.example/second'];
    const { clientId, code } = await freshCode({ redirect_uris });
    const response = await exchange(clientId, code, { redirect_uri: 'https://app.example/second' });
    expect(await errorIn(response)).toBe('invalid_grant');
  });

  it('is of no use for another resource', async () => {
    const { clientId, code } = await freshCode();
    const resource = 'https://other.example/mcp';
    expect(await errorIn(await exchange(clientId, code, { resource }))).toBe('invalid_target');
  });

  it('is kept for ten minutes and no longer', async () => {
    const { clientId, code } = await freshCode();
    // The store forgets by its own clock, which no test moves; what it was told is what counts here.
    const { keys } = await env.OAUTH_KV.list({ prefix: 'grant:owner:' });
    const grant = keys.find(({ name }) => name.includes(code.split(':')[1] ?? '?'));
    expect((grant?.expiration ?? Number.POSITIVE_INFINITY) - Date.now() / 1000).toBeLessThanOrEqual(601);
    expect((await exchange(clientId, code)).status).toBe(200);
  });

  it('is of no use once the owner has shut the app out', async () => {
    const { visitor, clientId, code } = await freshCode();
    const { apps } = await (await visitor.send('/api/owner/access')).json<{ apps: { id: string }[] }>();
    for (const { id } of apps) await visitor.submit('/connections/apps/revoke', { csrf: visitor.csrf, id });
    expect(await errorIn(await exchange(clientId, code))).toBe('invalid_grant');
  });
});

describe('an app with a secret', () => {
  const confidential = { token_endpoint_auth_method: 'client_secret_post' };

  it('has to show it, and the right one', async () => {
    const visitor = await signedIn();
    const app = await (await registration(confidential)).json<{ client_id: string; client_secret: string }>();
    const code = codeIn(await approve(visitor, await openConsent(visitor, app.client_id)));
    for (const secret of [{}, { client_secret: 'wrong' }, { client_secret: `${app.client_secret}x` }]) {
      expect((await exchange(app.client_id, code, secret)).status).toBe(401);
    }
    const { client_secret } = app;
    expect((await exchange(app.client_id, code, { client_secret })).status).toBe(200);
  });

  it('does not get round PKCE by having one', async () => {
    const visitor = await signedIn();
    const { client_id } = await (await registration(confidential)).json<{ client_id: string }>();
    const none = { code_challenge: undefined, code_challenge_method: undefined };
    const response = await visitor.send(authorizePath(client_id, none));
    expect(response.status).toBe(400);
    expect(response.headers.has('location')).toBe(false);
    expect(await response.text()).toContain('PKCE');
  });
});

describe('the token endpoint', () => {
  it.each(['GET', 'PUT', 'DELETE'])('answers no %s', async (method) => {
    const { clientId, code } = await freshCode();
    const query = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: VERIFIER,
    });
    expect((await send(`/oauth/token?${query}`, { method })).status).toBe(405);
    expect((await exchange(clientId, code)).status).toBe(200);
  });

  it('does not let one app end the tokens of another', async () => {
    const { access_token, refresh_token } = await connectedApp();
    const other = await registered();
    for (const stolen of [access_token, refresh_token]) {
      expect((await token({ client_id: other, token: stolen })).status).toBe(200);
    }
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
  });
});
