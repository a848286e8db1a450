import { Hono } from 'hono';
import { isRecord } from '../core/is-record.ts';
import { readBody } from '../http/body.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { withKnownClient } from '../owner/known-client.ts';
import { grantIn, type TokenRequest } from '../owner/token-flight.ts';

/** Far more than any client sends to OAuth. Anybody may send a request, so a larger one is refused. */
const MAX_BYTES = 64 * 1024;

/** Serves OAuth's own addresses. The library answers once the body is known to be small. */
export function oauthRoutes({ server, env, owner }: Pick<AuthPorts, 'server' | 'env' | 'owner'>): Hono {
  const app = new Hono();
  for (const path of ['/.well-known/oauth-authorization-server', '/oauth/*']) {
    app.all(path, async (c) => {
      const request = await withSmallBody(c.req.raw);
      if (!request) return tooLarge();
      const judged = await withKnownClient(await withKnownGrants(request), env.OAUTH_KV);
      const asked = c.req.path === '/oauth/token' ? await requestForTokens(judged, env.OAUTH_KV) : undefined;
      if (asked) {
        const { status, headers, body } = await owner().tokenRequest(asked);
        return new Response(body, { status, headers });
      }
      return server.fetch(judged, env, c.executionCtx as ExecutionContext);
    });
  }
  return app;
}

const GRANTS = new Set<unknown>(['authorization_code', 'refresh_token']);

/**
 * Removes from a registration the kinds of grants that this server lacks. Programs list all that they know, such as
 * `device_code`, and the library would refuse the whole registration (RFC 7591 lets a server leave out what it lacks).
 */
async function withKnownGrants(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  if (method !== 'POST' || new URL(url).pathname !== '/oauth/register') return request;
  const text = await request.text();
  const same = (body: string) => new Request(url, { method, headers, signal, body });
  try {
    const said: unknown = JSON.parse(text);
    if (!isRecord(said) || !Array.isArray(said.grant_types)) return same(text);
    const known = said.grant_types.filter((grant) => GRANTS.has(grant));
    return same(known.length === 0 ? text : JSON.stringify({ ...said, grant_types: known }));
  } catch {
    // The library says what is wrong with it.
    return same(text);
  }
}

/**
 * Reads a request with the code or refresh token of a grant that exists. Gives `undefined` for any other: the library
 * refuses it in this isolate, so that strangers cannot keep busy the one object that all sign-ins need.
 */
async function requestForTokens(request: Request, kv: KVNamespace): Promise<TokenRequest | undefined> {
  const { url, method, headers } = request;
  const type = headers.get('content-type') ?? '';
  if (method !== 'POST' || !/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  const body = await request.clone().text();
  const grant = grantIn({ body });
  if (grant === undefined || (await kv.get(`grant:${grant}`)) === null) return undefined;
  return { url, headers: [...headers], body };
}

/** Gives the same request with its body already read. Gives nothing if the body is too large, too slow or not text. */
async function withSmallBody(request: Request): Promise<Request | undefined> {
  if (!request.body) return request;
  const body = await readBody(request, MAX_BYTES).catch(() => undefined);
  if (body === undefined) return undefined;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  headers.delete('transfer-encoding');
  const { url, method, signal } = request;
  return new Request(url, { method, headers, signal, ...(body === '' ? {} : { body }) });
}

function tooLarge(): Response {
  const error_description = `The body is over ${MAX_BYTES} bytes, is not UTF-8, or came too slowly.`;
  const headers = { 'cache-control': 'no-store' };
  return Response.json({ error: 'invalid_request', error_description }, { status: 413, headers });
}
