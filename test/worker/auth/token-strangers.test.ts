import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { oauthRoutes } from '../../../src/api/oauth-routes.ts';
import type { AuthPorts } from '../../../src/owner/auth-ports.ts';
import { GATEWAY } from '../http.ts';
import { connectedApp } from './support.ts';

it('a request for tokens reaches the owner’s object only with a grant that there is', async () => {
  const reached: string[] = [];
  const ports = {
    env,
    server: { fetch: async () => new Response('by the library') },
    owner: () => ({
      tokenRequest: async ({ body }: { body: string }) => {
        reached.push(body);
        return { status: 200, headers: [], body: 'by the object' };
      },
    }),
  } as unknown as AuthPorts;
  const ask = async (refresh_token: string) => {
    const form = { grant_type: 'refresh_token', client_id: 'x', refresh_token };
    const body = new URLSearchParams(form).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked = new Request(`${GATEWAY}/oauth/token`, { method: 'POST', headers, body });
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    return (await oauthRoutes(ports).request(asked, undefined, env, context)).text();
  };
  expect(await ask('owner:nobody:secret')).toBe('by the library');
  expect(reached).toEqual([]);
  expect(await ask((await connectedApp()).refresh_token)).toBe('by the object');
  expect(reached).toHaveLength(1);
});
