import { expect, it } from 'vitest';
import { GATEWAY, send } from '../http.ts';

const metadata = async (path: string) => {
  const response = await send(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return response.json<Record<string, unknown>>();
};

it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
  'says at %s who guards MCP and what may be asked for',
  async (path) => {
    expect(await metadata(path)).toEqual({
      resource: `${GATEWAY}/mcp`,
      authorization_servers: [GATEWAY],
      scopes_supported: ['read', 'write', 'machine'],
      bearer_methods_supported: ['header'],
      resource_name: 'Bowline',
    });
  },
);

it('says how to be let in: codes with S256 alone, names by address or by registration, answers with an issuer', async () => {
  expect(await metadata('/.well-known/oauth-authorization-server')).toMatchObject({
    issuer: GATEWAY,
    authorization_endpoint: `${GATEWAY}/authorize`,
    token_endpoint: `${GATEWAY}/oauth/token`,
    revocation_endpoint: `${GATEWAY}/oauth/token`,
    registration_endpoint: `${GATEWAY}/oauth/register`,
    protected_resources: [`${GATEWAY}/mcp`],
    scopes_supported: ['read', 'write', 'machine'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

it('lets an app that registers nothing be public, which is what apps of models are', async () => {
  const { token_endpoint_auth_methods_supported: methods } = await metadata(
    '/.well-known/oauth-authorization-server',
  );
  expect(methods).toContain('none');
});

it('names itself the same however it is reached, or not at all', async () => {
  const headers = { host: '127.0.0.1' };
  expect(await (await send('/.well-known/oauth-protected-resource/mcp', { headers })).json()).toMatchObject({
    resource: `${GATEWAY}/mcp`,
  });
  const server = await send('/.well-known/oauth-authorization-server', { headers });
  expect(server.status === 404 || (await server.json<{ issuer: string }>()).issuer === GATEWAY).toBe(true);
});

it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server'])(
  'can be read by a page of this computer: %s',
  async (path) => {
    const origin = 'http://localhost:6274';
    const response = await send(path, { headers: { origin } });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  },
);

it('has no grant that hands out tokens without a code', async () => {
  for (const grant_type of [
    'password',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:device_code',
  ]) {
    const response = await send('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cf-connecting-ip': 'metadata' },
      body: JSON.stringify({
        redirect_uris: ['https://app.example/cb'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', grant_type],
      }),
    });
    // Programs list all that they know; what there is not here is left out.
    expect(response.status).toBe(201);
    const client = await response.json<{ client_id: string; grant_types: string[] }>();
    expect(client.grant_types).toEqual(['authorization_code']);
    const asked = new URLSearchParams({
      grant_type,
      client_id: client.client_id,
      username: 'x',
      password: 'x',
    });
    const refused = await send('/oauth/token', { method: 'POST', body: asked });
    expect(refused.status).toBe(400);
    expect(await refused.text()).not.toContain('access_token');
  }
});
