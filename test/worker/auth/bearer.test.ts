import { env, exports } from 'cloudflare:workers';
import { OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Era, GATEWAY, messageIn, post, send } from '../http.ts';
import {
  bearer,
  breakOwner,
  CALLBACK,
  CHALLENGE,
  connectedApp,
  eras,
  later,
  mcpCall,
  mcpStatus,
  newAddress,
  owner,
  personalToken,
  refresh,
  type Tokens,
  token,
  VERIFIER,
} from './support.ts';

const METADATA = `resource_metadata="${GATEWAY}/.well-known/oauth-protected-resource/mcp"`;
const NO_TOKEN = `Bearer ${METADATA}, scope="read write machine"`;
const BAD_TOKEN = `Bearer error="invalid_token", error_description="The token is unknown, expired, revoked or for another server", ${METADATA}, scope="read write machine"`;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function expectTurnedAway(response: Response, challenge: string) {
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(challenge);
  expect(await response.json()).toMatchObject({ code: 'unauthorized', http_status: 401 });
}

/** On every way in that takes tokens, those that want one and those that only look at one. */
async function expectBadToken(headers: Record<string, string>) {
  for (const era of eras)
    await expectTurnedAway(await exports.default.fetch(mcpCall(era, headers)), BAD_TOKEN);
  await expectTurnedAway(
    await post('hello', '{}', { 'cf-connecting-ip': newAddress(), ...headers }),
    BAD_TOKEN,
  );
}

/** A token as another authorization server makes it that shares this one's storage. */
async function mintedBy(
  issuer: string,
  resource: string,
  { userId = 'owner', accessId }: { userId?: string; accessId?: string } = {},
): Promise<string> {
  const server = new OAuthAuthorizationServer({ issuer, resources: [resource], scopesSupported: ['read'] });
  const oauth = server.getOAuthApi(env);
  const { clientId } = await oauth.createClient({
    redirectUris: [CALLBACK],
    tokenEndpointAuthMethod: 'none',
  });
  const { redirectTo } = await oauth.completeAuthorization({
    request: {
      responseType: 'code',
      clientId,
      redirectUri: CALLBACK,
      scope: ['read'],
      state: '',
      codeChallenge: CHALLENGE,
      codeChallengeMethod: 'S256',
      resource,
      issuer,
    },
    userId,
    metadata: {},
    scope: ['read'],
    props: { clientName: 'elsewhere', accessId: accessId ?? (await owner().grantAccess()) },
  });
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code: new URL(redirectTo).searchParams.get('code') ?? '',
    code_verifier: VERIFIER,
  });
  const request = new Request(`${issuer}/oauth/token`, { method: 'POST', body });
  const response = await server.fetch(request, env, {} as ExecutionContext);
  return (await response.json<Tokens>()).access_token;
}

describe.each(eras)('MCP of %s', (era: Era) => {
  it('shows somebody without a token the way in, and accuses them of nothing', async () => {
    await expectTurnedAway(await exports.default.fetch(mcpCall(era)), NO_TOKEN);
  });

  it.each(['access_token', 'token', 'bearer_token', 'authorization'])(
    'takes no token from the address: %s',
    async (name) => {
      const { secret } = await personalToken();
      const path = `/mcp?${name}=${secret}`;
      await expectTurnedAway(await exports.default.fetch(mcpCall(era, {}, { path })), NO_TOKEN);
    },
  );

  it('takes no token from a cookie', async () => {
    const { secret } = await personalToken();
    for (const name of ['access_token', 'token', 'Authorization', '__Host-bowline']) {
      const cookie = `${name}=${secret}`;
      await expectTurnedAway(await exports.default.fetch(mcpCall(era, { cookie })), NO_TOKEN);
    }
  });

  it('takes no token from a form', async () => {
    const { secret } = await personalToken();
    const body = new URLSearchParams({ access_token: secret });
    await expectTurnedAway(await send('/mcp', { method: 'POST', body }), NO_TOKEN);
  });

  it('answers a good token, however the scheme is spelt', async () => {
    const { secret } = await personalToken();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await exports.default.fetch(mcpCall(era, { authorization: `${scheme} ${secret}` }));
      expect((await messageIn(answer)).result).toMatchObject({
        structuredContent: { message: 'Hello, World!' },
      });
    }
  });
});

describe('a token that does not count is refused everywhere, and told so', () => {
  it.each([
    ['garbage', 'Bearer garbage'],
    ['nothing', 'Bearer'],
    ['of the wrong scheme', 'Basic b3duZXI6a2V5'],
    ['shaped like a personal one', `Bearer bwl_pat_${'A'.repeat(43)}`],
    ['shaped like an app’s', 'Bearer owner:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['reaching for another key of the store', 'Bearer owner:../grant:x'],
    ['with the wildcard of a store', 'Bearer owner:*:*'],
    ['a thousand characters long', `Bearer ${'a'.repeat(1000)}`],
  ])('%s', async (_, authorization) => {
    await expectBadToken({ authorization });
  });

  it('sent twice', async () => {
    const { secret } = await personalToken();
    await expectBadToken({ authorization: `Bearer ${secret}, Bearer ${secret}` });
    await expectBadToken({ authorization: `Bearer ${secret} ${secret}` });
  });

  it('with one character changed, added or left out', async () => {
    const { secret } = await personalToken();
    const { access_token } = await connectedApp();
    for (const good of [secret, access_token]) {
      const other = good.endsWith('A') ? 'B' : 'A';
      for (const bad of [good.slice(0, -1) + other, `${good}A`, good.slice(0, -1), good.toUpperCase()]) {
        await expectBadToken(bearer(bad));
      }
      expect(await mcpStatus('2026', bearer(good))).toBe(200);
    }
  });

  it('expired: a personal one', async () => {
    const { secret } = await personalToken(['read'], 1);
    later(86_400_000 - 2_000);
    expect(await mcpStatus('2025', bearer(secret))).toBe(200);
    // It is remembered now, but for no longer than it lives.
    later(2_001);
    await expectBadToken(bearer(secret));
  });

  it('expired: an app’s, while the app still may get another', async () => {
    const { access_token, refresh_token, expires_in, clientId } = await connectedApp();
    later(expires_in * 1000 - 3_000);
    expect(await mcpStatus('2026', bearer(access_token))).toBe(200);
    later(5_000);
    await expectBadToken(bearer(access_token));
    const { access_token: fresh } = await (await refresh(clientId, refresh_token)).json<Tokens>();
    expect(await mcpStatus('2026', bearer(fresh))).toBe(200);
  });

  it('given back by the app itself', async () => {
    const { access_token, clientId } = await connectedApp();
    expect((await token({ client_id: clientId, token: access_token })).status).toBe(200);
    await expectBadToken(bearer(access_token));
  });

  it('a refresh token or a code, which are for other doors', async () => {
    const { refresh_token, code } = await connectedApp();
    await expectBadToken(bearer(refresh_token));
    await expectBadToken(bearer(code));
  });

  it.each([
    ['for another resource of the same issuer', GATEWAY, `${GATEWAY}/other`],
    ['for a path below', GATEWAY, `${GATEWAY}/mcp/more`],
    ['for the whole origin', GATEWAY, GATEWAY],
    ['of another issuer for its own resource', 'https://other.example', 'https://other.example/mcp'],
  ])('good, but made %s', async (_, issuer, resource) => {
    await expectBadToken(bearer(await mintedBy(issuer, resource)));
  });

  it('good, but somebody else’s than the owner’s', async () => {
    await expectBadToken(bearer(await mintedBy(GATEWAY, `${GATEWAY}/mcp`, { userId: 'mallory' })));
    // The same, made for the owner, is let in: it was the name that counted.
    expect(await mcpStatus('2026', bearer(await mintedBy(GATEWAY, `${GATEWAY}/mcp`)))).toBe(200);
  });
});

describe('REST', () => {
  it('says hello to anybody', async () => {
    expect((await post('hello', '{}')).status).toBe(200);
  });

  it('says hello to a good token of either kind', async () => {
    const { secret } = await personalToken(['machine']);
    const { access_token } = await connectedApp();
    expect((await post('hello', '{}', bearer(access_token))).status).toBe(200);
    // One that was granted other things than reading is not anybody: it is held to what it was granted.
    expect((await post('hello', '{}', bearer(secret))).status).toBe(403);
  });
});

it('does not let an app in by a token that storage still holds after it was shut out', async () => {
  const accessId = await owner().grantAccess();
  const token = await mintedBy(GATEWAY, `${GATEWAY}/mcp`, { accessId });
  await owner().endAccess(accessId);
  expect(await mcpStatus('2026', bearer(token))).toBe(401);
});

it('lets nobody in when it cannot look a token up', async () => {
  const { secret } = await personalToken();
  breakOwner('token');
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const response = await exports.default.fetch(mcpCall('2026', bearer(secret)));
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('no such table');
  expect(said.mock.calls.join()).toContain('no such table');
});
