import { waitUntil } from 'cloudflare:workers';
import { type Context, Hono } from 'hono';
import { protectedResourceMetadata } from './auth/bearer.ts';
import { connectionsRoutes } from './auth/connections-routes.tsx';
import { consentRoutes } from './auth/consent-routes.tsx';
import { addressOf } from './auth/oauth-server.ts';
import { ownerApi } from './auth/owner-api.ts';
import { passkeyRoutes } from './auth/passkey-routes.ts';
import { signInRoutes } from './auth/sign-in-routes.tsx';
import { tokenRoutes } from './auth/token-routes.ts';
import { homeRoutes } from './console/home-routes.tsx';
import { asset } from './console/respond.ts';
import { MAX_RESULT_CHARS } from './core/cut.ts';
import { doorFailure } from './core/failure.ts';
import { VERSION } from './core/version.ts';
import { approvalPages } from './gate/approval-pages.tsx';
import { gateOwnerRoutes } from './gate/owner-routes.ts';
import { memoryPrompts } from './memory/memory-prompts.ts';
import { memoryResources } from './memory/memory-resources.ts';
import { memoryOwnerRoutes } from './memory/memory-routes.ts';
import { type Env, type Ports, portsOf } from './ports.ts';
import { AddressLimit, limitRefusals } from './surfaces/address-limit.ts';
import { checkHostAndOrigin } from './surfaces/doorstep.ts';
import { callerIn, mcpOverHttp } from './surfaces/mcp-http.ts';
import { rest } from './surfaces/rest.ts';
import { guardFetch } from './web/guarded-fetch.ts';

export { OwnerObject } from './auth/owner-object.ts';
export { EventsObject } from './events/events-object.ts';
export { GateObject } from './gate/gate-object.ts';
export { MemoryLog } from './memory/memory-object.ts';

// Libraries fetch with the global, for instance what a client says it is; none of that may reach inside.
globalThis.fetch = guardFetch(globalThis.fetch);

/** The gateway's routes. */
function routes(ports: Ports): Hono {
  const { auth, challenges, report, tools } = ports;
  const app = new Hono();
  const mcp = mcpOverHttp(
    {
      tools,
      report,
      prompts: memoryPrompts,
      resources: [memoryResources(ports.memory)],
      announces: true,
      stateKey: ports.stateKey,
      callerOf: callerIn,
    },
    {
      bus: ports.events,
      onError: (error) => report(error, 'mcp'),
      insufficientScope: challenges.insufficientScope,
    },
  );
  app.use(checkHostAndOrigin(ports.doorstep), limitRefusals(new AddressLimit(), addressOf, ports.isKnown));
  app.get('/healthz', (c) => c.json({ ok: true, version: VERSION }));

  app.all('/mcp', async (c) => {
    const caller = await ports.callerOf(c.req.raw, 'mcp');
    return caller ? mcp(c.req.raw, { ...caller, maxResultChars: MAX_RESULT_CHARS }) : unauthorized(c, ports);
  });
  app.route(
    '/',
    rest({ tools, challenges, anybody: ports.anybody, callerOf: (r) => ports.callerOf(r, 'rest') }),
  );

  app.get('/.well-known/oauth-protected-resource/mcp', () => protectedResourceMetadata(auth.origin));
  app.get('/.well-known/oauth-protected-resource', () => protectedResourceMetadata(auth.origin));
  for (const path of ['/.well-known/oauth-authorization-server', '/oauth/*']) {
    app.all(path, (c) => auth.server.fetch(c.req.raw, auth.env, c.executionCtx as ExecutionContext));
  }
  app.route('/', consentRoutes(auth));

  app.route('/', homeRoutes(auth));
  app.route('/', signInRoutes(auth));
  app.route('/', connectionsRoutes(auth));
  app.route('/passkeys', passkeyRoutes(auth));
  const gatePorts = { auth, gate: ports.gate, toolExists: (name: string) => tools.has(name) };
  app.route('/', approvalPages(gatePorts));
  app.route('/api/owner', gateOwnerRoutes(gatePorts));
  app.route('/api/owner/memory', memoryOwnerRoutes({ auth, memory: ports.memory }));
  app.route('/api/owner', ownerApi(auth));
  app.route('/api', tokenRoutes(auth));
  app.get('/assets/:name', (c) => asset(c.req.param('name')) ?? c.notFound());
  app.onError((error) => {
    report(error, 'worker');
    return Response.json(doorFailure('internal_error'), { status: 500 });
  });
  return app;
}

function unauthorized(c: Context, { challenges }: Ports): Response {
  const failure = doorFailure('unauthorized');
  const headers = { 'www-authenticate': challenges.unauthorized(c.req.raw) };
  return Response.json({ ...failure, error: 'unauthorized' }, { status: 401, headers });
}

const apps = new WeakMap<Env, Hono>();

export default {
  fetch(request, env, context) {
    let app = apps.get(env);
    if (!app) {
      app = routes(portsOf(env, waitUntil));
      apps.set(env, app);
    }
    return app.fetch(request, env, context);
  },
} satisfies ExportedHandler<Env>;
