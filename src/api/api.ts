import { Hono } from 'hono';
import { isJoinedName } from '../joined/names.ts';
import { tellListChanged } from '../joined/tell-list-changed.ts';
import { witnessRoutes } from '../memory/witness.ts';
import { githubHook } from '../mirror/github-hook.ts';
import { askRoute } from './ask-routes.ts';
import { gateOwnerRoutes } from './gate-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { linkRoute } from './link-routes.ts';
import { memoryOwnerRoutes } from './memory-routes.ts';
import { mirrorRoutes } from './mirror-routes.ts';
import { mirrorOwnerRoutes } from './mirror-setting-routes.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { ownerApi } from './owner-api.ts';
import { machineOwnerRoutes, pairingRoutes } from './pairing-routes.ts';
import { restoreRoutes } from './restore-routes.ts';
import { serverOwnerRoutes, signInCallback } from './server-routes.ts';
import { tokenRoutes } from './token-routes.ts';

type Given<Route extends (ports: never) => unknown> = Parameters<Route>[0];

/** The parts that the routes for programs work with. */
type ApiPorts = Omit<Given<typeof gateOwnerRoutes>, 'toolExists' | 'listChanged'> &
  Given<typeof serverOwnerRoutes> &
  Given<typeof healthRoutes> &
  Given<typeof memoryOwnerRoutes> &
  Given<typeof restoreRoutes> &
  Omit<Given<typeof mirrorRoutes>, 'callerOf'> &
  Omit<Given<typeof askRoute>, 'callerOf'> & {
    readonly pairing: Given<typeof machineOwnerRoutes>;
    readonly machineLink: Given<typeof linkRoute>;
    readonly witness: Given<typeof witnessRoutes>;
    readonly github: Given<typeof githubHook>['github'];
    callerOf(request: Request, via: 'rest'): ReturnType<Given<typeof askRoute>['callerOf']>;
  };

/** Makes the routes for programs: the owner's commands, machines, apps that sign in, and other services. */
export function apiRoutes(ports: ApiPorts): Hono {
  const { auth, gate, runLate, memory, mirror, host, joined, tools } = ports;
  const callerOf = (request: Request) => ports.callerOf(request, 'rest');
  const toolExists = (name: string) => tools.has(name) || isJoinedName(name);
  const listChanged = () => tellListChanged(joined, host.events);
  const app = new Hono();
  app.route('/', oauthRoutes(auth));
  app.route('/', linkRoute(ports.machineLink));
  app.route('/', signInCallback({ host, joined }));
  app.route('/', askRoute({ ...ports, callerOf }));
  app.route('/', githubHook({ github: ports.github, announce: (push) => mirror.stub().announce(push) }));
  app.route('/api', pairingRoutes(ports.pairing));
  app.route('/api', tokenRoutes(auth));
  app.route('/api/mirror', mirrorRoutes({ ...ports, callerOf }));
  app.route('/api/memory/witness', witnessRoutes(ports.witness));
  app.route('/api/owner', gateOwnerRoutes({ auth, gate, runLate, toolExists, listChanged }));
  app.route('/api/owner', ownerApi(auth));
  app.route('/api/owner/memory', memoryOwnerRoutes({ auth, memory }));
  app.route('/api/owner/restore', restoreRoutes({ auth, memory, gate }));
  app.route('/api/owner/mirror', mirrorOwnerRoutes({ auth, mirror }));
  app.route('/api/owner/machines', machineOwnerRoutes(ports.pairing));
  app.route('/api/owner/health', healthRoutes({ auth, health: ports.health }));
  app.route('/api/owner/servers', serverOwnerRoutes({ auth, host, joined }));
  return app;
}
