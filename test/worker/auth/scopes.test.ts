import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../../contracts/contract.ts';
import type { Caller } from '../../../src/core/call.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { callerOfBearer, challengesFor, tokenOf } from '../../../src/owner/bearer.ts';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { rest } from '../../../src/surfaces/rest.ts';
import { reading, WatchedDoor, wrecking, writing } from '../../support/tools.ts';
import { type Era, GATEWAY, messageIn } from '../http.ts';
import { anotherIsolate, bearer, connectedApp, eras, mcpCall, personalToken } from './support.ts';

const METADATA = `resource_metadata="${GATEWAY}/.well-known/oauth-protected-resource/mcp"`;
const TOOLS = { shelf_read: 'read', shelf_write: 'write', shelf_burn: 'machine' } as const;

/** The gateway's own sign-in in front of tools of every scope, which the product does not have yet. */
function shelf() {
  const door = new WatchedDoor();
  const tools = toolSet(
    { reading, writing, wrecking },
    {
      reading: ({ id }, call) => call.ok({ text: id }),
      writing: ({ id }, call) => call.ok({ text: id }),
      wrecking: ({ id }, call) => call.ok({ text: id }),
    },
    door,
    undefined,
  );
  const { bearerOf } = anotherIsolate();
  const callerOf = async (request: Request, via: Caller['via']) => {
    const bearer = await bearerOf(tokenOf(request) ?? '');
    return bearer && callerOfBearer(bearer, via);
  };
  const challenges = challengesFor(GATEWAY);
  const anybody: Caller = { principal: 'anybody', client: 'unknown', via: 'rest', scopes: new Set(['read']) };
  const mcp = mcpOverHttp({ tools }, { insufficientScope: challenges.insufficientScope });
  const app = new Hono();
  app.all('/mcp', async (c) => {
    const caller = await callerOf(c.req.raw, 'mcp');
    return caller ? mcp(c.req.raw, caller) : c.body(null, 401);
  });
  app.route('/', rest({ tools, challenges, anybody, callerOf: (r) => callerOf(r, 'rest') }));
  return { app, door };
}

const { app, door } = shelf();

const overRest = (tool: string, headers: Record<string, string>) =>
  app.request(`${GATEWAY}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"id":"ab"}',
  });

const overMcp = (era: Era, tool: string, headers: Record<string, string>) =>
  app.request(mcpCall(era, headers, { name: tool, args: { id: 'ab' } }));

/** Each way to hold scopes: all that there are but the one that is needed. */
const lacking: [needed: Scope, tool: string, held: Scope[]][] = Object.entries(TOOLS).flatMap(
  ([tool, needed]) => {
    const others = SCOPES.filter((scope) => scope !== needed);
    return [others, ...others.map((one) => [one])].map((held): [Scope, string, Scope[]] => [
      needed,
      tool,
      held,
    ]);
  },
);

/** What a client reads to ask for more: all it would then need, and where. */
function challengeFor(held: readonly Scope[], needed: Scope): string {
  const scope = SCOPES.filter((one) => one === needed || held.includes(one)).join(' ');
  return `Bearer error="insufficient_scope", scope="${scope}", ${METADATA}, error_description="This needs ${needed}"`;
}

describe.each(lacking)('a call that needs %s (%s) with a token for %s', (needed, tool, held) => {
  it.each(eras)('is 403 over MCP of %s, names both, and runs nothing', async (era) => {
    const { secret } = await personalToken(held);
    const before = door.admitted.length;
    const response = await overMcp(era, tool, bearer(secret));
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(challengeFor(held, needed));
    expect((await messageIn(response)).error?.message).toContain(needed);
    expect(door.admitted).toHaveLength(before);
  });

  it('is 403 over REST in the same way', async () => {
    const { secret } = await personalToken(held);
    const before = door.admitted.length;
    const response = await overRest(tool, bearer(secret));
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(challengeFor(held, needed));
    expect(await response.json()).toMatchObject({ code: 'insufficient_scope', http_status: 403 });
    expect(door.admitted).toHaveLength(before);
  });
});

describe.each(Object.entries(TOOLS))('%s', (tool, needed) => {
  it('runs for a token of just its scope, on every way in', async () => {
    const { secret } = await personalToken([needed]);
    for (const era of eras) {
      const { result } = await messageIn(await overMcp(era, tool, bearer(secret)));
      expect(result).toMatchObject({ structuredContent: { text: 'ab' } });
    }
    expect((await overRest(tool, bearer(secret))).status).toBe(200);
  });

  it('is for nobody without a token, since only `hello` is public', async () => {
    const response = await overRest(tool, {});
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(`Bearer ${METADATA}, scope="read write machine"`);
  });

  it('is for nobody who is merely signed in', async () => {
    const { visitor } = await connectedApp();
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect((await overRest(tool, { cookie })).status).toBe(401);
    for (const era of eras) expect((await overMcp(era, tool, { cookie })).status).toBe(401);
  });
});

describe('what an app was granted', () => {
  it('is what the owner ticked, not what the app asked for', async () => {
    const { access_token, scope } = await connectedApp(['read']);
    expect(scope).toBe('read');
    expect((await overRest('shelf_read', bearer(access_token))).status).toBe(200);
    expect((await overRest('shelf_write', bearer(access_token))).status).toBe(403);
    expect((await overRest('shelf_burn', bearer(access_token))).status).toBe(403);
  });

  it('lists every tool all the same: a list must not change with who asks', async () => {
    const { secret } = await personalToken(['machine']);
    const request = mcpCall('2025', bearer(secret));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { result } = await messageIn(await app.request(new Request(request, { body })));
    const names = ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(TOOLS).sort());
  });

  it('has the caller named for what it is, so that the ledger can tell', async () => {
    const { access_token, clientId } = await connectedApp(['read'], { client_name: 'Reader' });
    const { secret, token } = await personalToken(['read'], 1, 'nightly');
    await overRest('shelf_read', bearer(access_token));
    await overRest('shelf_read', bearer(secret));
    expect(
      door.admitted.slice(-2).map(({ caller }) => [caller.principal, caller.client, caller.via]),
    ).toEqual([
      [`app:${clientId}`, 'Reader', 'rest'],
      [`token:${token.id}`, 'nightly', 'rest'],
    ]);
  });
});
