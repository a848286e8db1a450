import { env, waitUntil } from 'cloudflare:workers';
import { type Context, Hono } from 'hono';
import { askRoute } from './api/ask-routes.ts';
import { gateOwnerRoutes } from './api/gate-routes.ts';
import { healthRoutes } from './api/health-routes.ts';
import { linkRoute } from './api/link-routes.ts';
import { memoryOwnerRoutes } from './api/memory-routes.ts';
import { mirrorRoutes } from './api/mirror-routes.ts';
import { mirrorOwnerRoutes } from './api/mirror-setting-routes.ts';
import { oauthRoutes } from './api/oauth-routes.ts';
import { ownerApi } from './api/owner-api.ts';
import { machineOwnerRoutes, pairedMachines, pairingRoutes } from './api/pairing-routes.ts';
import { passkeyRoutes } from './api/passkey-routes.ts';
import { restoreRoutes } from './api/restore-routes.ts';
import { serverOwnerRoutes, signInCallback } from './api/server-routes.ts';
import { tokenRoutes } from './api/token-routes.ts';
import { connectionsRoutes } from './console/access/connections-routes.tsx';
import { consentRoutes } from './console/access/consent-routes.tsx';
import { proofRoutes } from './console/access/proof-pages.ts';
import { signInRoutes } from './console/access/sign-in-routes.tsx';
import { approvalPages } from './console/approvals/approval-pages.tsx';
import { asset, serviceWorkerFile } from './console/browser/assets.ts';
import { connectPages } from './console/home/connect-pages.tsx';
import { homeRoutes } from './console/home/home-routes.tsx';
import { setupPages } from './console/home/setup-pages.tsx';
import { setupState } from './console/home/setup-state.ts';
import { ledgerPages } from './console/ledger/ledger-pages.tsx';
import { machinePages } from './console/machines/machine-pages.tsx';
import { memoryPages } from './console/memory/memory-pages.tsx';
import { mirrorPages } from './console/mirror/mirror-pages.tsx';
import { mirrorSettingPages } from './console/mirror/mirror-setting-pages.tsx';
import { rulePages } from './console/rules/rule-pages.tsx';
import { serverPages } from './console/servers/server-pages.tsx';
import { notifyPages } from './console/settings/notify-pages.tsx';
import { settingPages } from './console/settings/setting-pages.tsx';
import { toolsPages } from './console/tools/tools-pages.tsx';
import { MAX_RESULT_CHARS } from './core/cut.ts';
import { doorFailure } from './core/failure.ts';
import { VERSION } from './core/version.ts';
import { limitRefusals } from './http/address-limit.ts';
import { checkHostAndOrigin } from './http/doorstep.ts';
import { isJoinedName } from './joined/names.ts';
import { witnessRoutes } from './memory/witness.ts';
import { githubHook } from './mirror/github-hook.ts';
import { protectedResourceMetadata } from './owner/bearer.ts';
import { endWithCredential } from './owner/leash.ts';
import { checkEveryChange } from './owner/owner-changes.ts';
import { type Env, type Ports, portsOf } from './ports.ts';
import { mcpOverHttp } from './surfaces/mcp-http.ts';
import { memoryPrompts } from './surfaces/memory-prompts.ts';
import { memoryResources } from './surfaces/memory-resources.ts';
import { mirrorResources } from './surfaces/mirror-resources.ts';
import { rest } from './surfaces/rest.ts';
import { guardFetch } from './web/guarded-fetch.ts';
import { outwardFetch } from './web/outbound.ts';

export { EventsObject } from './events/events-object.ts';
export { GateObject } from './gate/gate-object.ts';
export { MachineObject } from './machines/machine-object.ts';
export { MemoryLog } from './memory/memory-object.ts';
export { RepoMirror } from './mirror/mirror-object.ts';
export { OwnerObject } from './owner/owner-object.ts';

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
