import { env, waitUntil } from 'cloudflare:workers';
import { type Context, Hono } from 'hono';
import { protectedResourceMetadata } from './auth/bearer.ts';
import { connectionsRoutes } from './auth/connections-routes.tsx';
import { consentRoutes } from './auth/consent-routes.tsx';
import { endWithCredential } from './auth/leash.ts';
import { oauthRoutes } from './auth/oauth-routes.ts';
import { ownerApi } from './auth/owner-api.ts';
import { checkEveryChange } from './auth/owner-changes.ts';
import { passkeyRoutes } from './auth/passkey-routes.ts';
import { proofRoutes } from './auth/proof-routes.ts';
import { signInRoutes } from './auth/sign-in-routes.tsx';
import { tokenRoutes } from './auth/token-routes.ts';
import { restoreRoutes } from './backup/restore-routes.ts';
import { asset, serviceWorkerFile } from './console/assets.ts';
import { connectPages } from './console/connect-pages.tsx';
import { homeRoutes } from './console/home-routes.tsx';
import { setupPages } from './console/setup-pages.tsx';
import { setupState } from './console/setup-state.ts';
import { toolsPages } from './console/tools-pages.tsx';
import { MAX_RESULT_CHARS } from './core/cut.ts';
import { doorFailure } from './core/failure.ts';
import { VERSION } from './core/version.ts';
import { healthRoutes } from './doctor/health-routes.ts';
import { approvalPages } from './gate/approval-pages.tsx';
import { ledgerPages } from './gate/ledger-pages.tsx';
import { notifyPages } from './gate/notify-pages.tsx';
import { gateOwnerRoutes } from './gate/owner-routes.ts';
import { rulePages } from './gate/rule-pages.tsx';
import { settingPages } from './gate/setting-pages.tsx';
import { askRoute } from './host/ask-route.ts';
import { isJoinedName } from './host/names.ts';
import { serverOwnerRoutes, signInCallback } from './host/owner-routes.ts';
import { serverPages } from './host/server-pages.tsx';
import { linkRoute } from './machines/link-route.ts';
import { machinePages } from './machines/machine-pages.tsx';
import { machineOwnerRoutes, pairedMachines, pairingRoutes } from './machines/pairing-routes.ts';
import { memoryPages } from './memory/memory-pages.tsx';
import { memoryPrompts } from './memory/memory-prompts.ts';
import { memoryResources } from './memory/memory-resources.ts';
import { memoryOwnerRoutes } from './memory/memory-routes.ts';
import { witnessRoutes } from './memory/witness.ts';
import { githubHook } from './mirror/github-hook.ts';
import { mirrorOwnerRoutes } from './mirror/mirror-owner-routes.ts';
import { mirrorPages } from './mirror/mirror-pages.tsx';
import { mirrorResources } from './mirror/mirror-resources.ts';
import { mirrorRoutes } from './mirror/mirror-routes.ts';
import { mirrorSettingPages } from './mirror/mirror-setting-pages.tsx';
import { type Env, type Ports, portsOf } from './ports.ts';
import { limitRefusals } from './surfaces/address-limit.ts';
import { checkHostAndOrigin } from './surfaces/doorstep.ts';
import { mcpOverHttp } from './surfaces/mcp-http.ts';
import { rest } from './surfaces/rest.ts';
import { guardFetch } from './web/guarded-fetch.ts';
import { outwardFetch } from './web/outbound.ts';

export { OwnerObject } from './auth/owner-object.ts';
export { EventsObject } from './events/events-object.ts';
export { GateObject } from './gate/gate-object.ts';
export { MachineObject } from './machines/machine-object.ts';
export { MemoryLog } from './memory/memory-object.ts';
export { RepoMirror } from './mirror/mirror-object.ts';

// Libraries fetch with the global, for instance what a client says it is; none of that may reach inside.
globalThis.fetch = guardFetch(outwardFetch(env as Env, globalThis.fetch));

/** The gateway's routes. */
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
      stateKey: ports.stateKey,
    },
    {
      bus: ports.events,
      onError: (error) => report(error, 'mcp'),
      insufficientScope: challenges.insufficientScope,
    },
  );
  app.use(checkHostAndOrigin(ports.doorstep), limitRefusals(ports.senders), endWithCredential(ports.leash));
  app.get('/healthz', (c) => c.json({ ok: true, version: VERSION }));

  app.all('/mcp', async (c) => {
    const caller = await ports.callerOf(c.req.raw, 'mcp');
    return caller ? mcp(c.req.raw, { ...caller, maxResultChars: MAX_RESULT_CHARS }) : unauthorized(c, ports);
  });
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
  app.route('/', oauthRoutes(auth));
  app.route('/', consentRoutes(auth));
  app.route('/', linkRoute(ports.machineLink));

  app.route(
    '/',
    homeRoutes({
      auth,
      gate: ports.gate,
      machines: () => pairedMachines(ports.pairing),
      setup: () => setupState({ auth, mirror: ports.mirror }),
    }),
  );
  app.route('/', signInRoutes(auth));
  app.route('/', connectionsRoutes(auth));
  app.route('/', proofRoutes(auth));
  app.route('/passkeys', passkeyRoutes(auth));
  const gatePorts = {
    auth,
    gate: ports.gate,
    toolExists: (name: string) => tools.has(name) || isJoinedName(name),
  };
  app.route('/', approvalPages(gatePorts));
  const gatePagePorts = { ...gatePorts, toolNames: () => [...tools.keys()] };
  app.route('/', ledgerPages(gatePagePorts));
  app.route('/', rulePages(gatePagePorts));
  app.route('/', notifyPages({ auth, gate: ports.gate }));
  app.route('/', settingPages({ auth, gate: ports.gate, tools }));
  app.route('/api/owner', gateOwnerRoutes(gatePorts));
  app.route('/api/memory/witness', witnessRoutes(ports.witness));
  app.route('/api/owner/memory', memoryOwnerRoutes({ auth, memory: ports.memory }));
  app.route('/api/owner/restore', restoreRoutes({ auth, memory: ports.memory, gate: ports.gate }));
  app.route('/', toolsPages({ auth, tools, joined: ports.joined }));
  app.route('/', connectPages(auth));
  app.route('/', setupPages({ auth, mirror: ports.mirror }));
  app.route('/', memoryPages({ auth, memory: ports.memory }));
  app.route('/', mirrorPages({ auth, mirror: ports.mirror }));
  app.route('/', mirrorSettingPages({ auth, mirror: ports.mirror }));
  app.route('/api/owner/mirror', mirrorOwnerRoutes({ auth, mirror: ports.mirror }));
  app.route('/', machinePages({ ...ports.pairing, tools }));
  app.route('/api/owner/machines', machineOwnerRoutes(ports.pairing));
  app.route('/api', pairingRoutes(ports.pairing));
  app.route('/api/owner/health', healthRoutes({ auth, health: ports.health }));
  const { host, joined } = ports;
  app.route('/api/owner/servers', serverOwnerRoutes({ auth, host, joined }));
  app.route('/', signInCallback({ host, joined }));
  app.route('/', serverPages({ auth, host, joined }));
  app.route(
    '/',
    askRoute({ tools, joined, chat: ports.chat, challenges, callerOf: (r) => ports.callerOf(r, 'rest') }),
  );
  app.route('/api/owner', ownerApi(auth));
  const callerOf = (request: Request) => ports.callerOf(request, 'rest');
  app.route(
    '/api/mirror',
    mirrorRoutes({ auth, mirror: ports.mirror, gate: ports.gate, challenges, callerOf }),
  );
  app.route(
    '/',
    githubHook({ github: ports.github, announce: (push) => ports.mirror.stub().announce(push) }),
  );
  app.route('/api', tokenRoutes(auth));
  app.get('/sw.js', () => serviceWorkerFile());
  app.get('/assets/:name', (c) => asset(c.req.param('name')) ?? c.notFound());
  app.onError((error) => {
    report(error, 'worker');
    return Response.json(doorFailure('internal_error'), { status: 500 });
  });
  checkEveryChange(app.routes);
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
    const answer = app.fetch(request, env, context);
    // A caller who leaves ends their call; the ledger is to say so, even though nobody waits for the answer.
    if (answer instanceof Promise) context.waitUntil(answer.catch(() => undefined));
    return answer;
  },
} satisfies ExportedHandler<Env>;
