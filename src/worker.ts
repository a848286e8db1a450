import { env, waitUntil } from 'cloudflare:workers';
import { type Context, Hono } from 'hono';
import { apiRoutes } from './api/api.ts';
import { consoleRoutes } from './console/console.ts';
import { MAX_RESULT_CHARS } from './core/cut.ts';
import { isDiskFull } from './core/error-text.ts';
import { doorFailure } from './core/failure.ts';
import { VERSION } from './core/version.ts';
import { limitRefusals } from './http/address-limit.ts';
import { freeingMemory } from './http/collect.ts';
import { checkHostAndOrigin } from './http/doorstep.ts';
import { finishBodies } from './http/unread-body.ts';
import { protectedResourceMetadata } from './owner/bearer.ts';
import { endWithCredential } from './owner/leash.ts';
import { checkEveryChange } from './owner/owner-changes.ts';
import { mcpOverHttp } from './surfaces/mcp-http.ts';
import { memoryPrompts } from './surfaces/memory-prompts.ts';
import { memoryResources } from './surfaces/memory-resources.ts';
import { mirrorResources } from './surfaces/mirror-resources.ts';
import { rest } from './surfaces/rest.ts';
import { guardFetch } from './web/guarded-fetch.ts';
import { outwardFetch } from './web/outbound.ts';
import { addressFollower } from './wiring/address.ts';
import type { Env } from './wiring/env.ts';
import { type Ports, portsOf } from './wiring/ports.ts';
import { reportMalformed } from './wiring/report.ts';

export { EventsObject } from './events/events-object.ts';
export { GateObject } from './gate/gate-object.ts';
export { MachineObject } from './machines/machine-object.ts';
export { MemoryLog } from './memory/memory-object.ts';
export { RepoMirror } from './mirror/mirror-object.ts';
export { OwnerObject } from './owner/owner-object.ts';

// Libraries call the global fetch, for instance for a client's document. None of that may reach inside.
globalThis.fetch = guardFetch(outwardFetch(env as Env, globalThis.fetch));

/** Makes the gateway's routes. */
function routes(ports: Ports): Hono {
  const { auth, challenges, report, tools } = ports;
  const app = new Hono();
  const mcp = mcpOverHttp(
    {
      tools,
      joined: ports.joined,
      report,
      prompts: memoryPrompts,
      resources: [memoryResources(ports.resourceTools), mirrorResources(ports.resourceTools)],
      announces: true,
      origin: ports.origin,
      malformed: (error) => reportMalformed(error, 'mcp'),
      stateKey: ports.stateKey,
    },
    {
      bus: ports.events,
      mail: ports.mail,
      followed: ports.followed,
      cards: {
        ...{ gate: ports.gate, machines: ports.machines, origin: ports.origin },
        ...{ place: ports.door.place, find: ports.followed.find },
        page: async () => (await import('./console/cards/card-page.ts')).cardPage(),
      },
      instructions: ports.instructions,
      insufficientScope: challenges.insufficientScope,
    },
  );
  if (ports.standsAlone) app.use(finishBodies());
  app.use(checkHostAndOrigin(ports.doorstep), freeingMemory);
  app.use(limitRefusals(ports.senders), endWithCredential(ports.leash));
  app.get('/healthz', (c) => c.json({ ok: true, version: VERSION }));

  // Some clients add a slash to the address that they are given.
  for (const path of ['/mcp', '/mcp/']) {
    app.all(path, async (c) => {
      const caller = await ports.callerOf(c.req.raw, 'mcp');
      return caller
        ? mcp(c.req.raw, { ...caller, maxResultChars: MAX_RESULT_CHARS })
        : unauthorized(c, ports);
    });
  }
  app.route(
    '/',
    rest({
      tools,
      joined: ports.joined,
      challenges,
      anybody: ports.anybody,
      callerOf: (r) => ports.callerOf(r, 'rest'),
    }),
  );

  app.get('/.well-known/oauth-protected-resource/mcp', () => protectedResourceMetadata(auth.origin));
  app.get('/.well-known/oauth-protected-resource', () => protectedResourceMetadata(auth.origin));
  app.route('/', apiRoutes(ports));
  app.route('/', consoleRoutes(ports));
  app.notFound((c) => {
    // A client was given the address of the console instead of the one for MCP.
    if (c.req.method !== 'POST' || c.req.path !== '/') return c.text('404 Not Found', 404);
    const message = `MCP is at ${auth.origin}/mcp, and this is the address of the console.`;
    const suggestion = `Connect to ${auth.origin}/mcp.`;
    return c.json({ code: 'not_found', http_status: 404, message, suggestion }, 404);
  });
  app.onError((error) => {
    report(error, 'worker');
    const failure = doorFailure(isDiskFull(error) ? 'disk_full' : 'internal_error');
    return Response.json(failure, { status: failure.http_status });
  });
  checkEveryChange(app.routes);
  return app;
}

function unauthorized(c: Context, { challenges }: Ports): Response {
  const failure = doorFailure('unauthorized');
  const headers = { 'www-authenticate': challenges.unauthorized(c.req.raw) };
  return Response.json({ ...failure, error: 'unauthorized' }, { status: 401, headers });
}

const atItsAddress = addressFollower<Env>();
const apps = new WeakMap<Env, Hono>();

export default {
  fetch(request, given, context) {
    const env = atItsAddress(given, request.url);
    let app = apps.get(env);
    if (!app) {
      app = routes(portsOf(env, waitUntil));
      apps.set(env, app);
    }
    const answer = app.fetch(request, env, context);
    // A caller who leaves ends their call. Keep the work alive so that the ledger records that.
    if (answer instanceof Promise) context.waitUntil(answer.catch(() => undefined));
    return answer;
  },
} satisfies ExportedHandler<Env>;
