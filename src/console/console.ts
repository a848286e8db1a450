import { Hono } from 'hono';
import { passkeyRoutes } from '../api/passkey-routes.ts';
import { isJoinedName } from '../joined/names.ts';
import { tellListChanged } from '../joined/tell-list-changed.ts';
import { connectionsRoutes } from './access/connections-routes.tsx';
import { consentRoutes } from './access/consent-routes.tsx';
import { proofRoutes } from './access/proof-pages.ts';
import { signInRoutes } from './access/sign-in-routes.tsx';
import { approvalPages } from './approvals/approval-pages.tsx';
import { asset, serviceWorkerFile } from './browser/assets.ts';
import { connectPages } from './home/connect-pages.tsx';
import { homeRoutes } from './home/home-routes.tsx';
import { setupPages } from './home/setup-pages.tsx';
import { setupState } from './home/setup-state.ts';
import { ledgerPages } from './ledger/ledger-pages.tsx';
import { loanPages } from './loans/loan-pages.tsx';
import { machinePages } from './machines/machine-pages.tsx';
import { memoryPages } from './memory/memory-pages.tsx';
import { mirrorPages } from './mirror/mirror-pages.tsx';
import { mirrorSettingPages } from './mirror/mirror-setting-pages.tsx';
import { keysPage } from './parts/keys-page.tsx';
import { rulePages } from './rules/rule-pages.tsx';
import { serverPages } from './servers/server-pages.tsx';
import { notifyPages } from './settings/notify-pages.tsx';
import { settingPages } from './settings/setting-pages.tsx';
import { toolsPages } from './tools/tools-pages.tsx';

type Given<Pages extends (ports: never) => unknown> = Parameters<Pages>[0];

/** The parts that the owner's pages work with. */
type ConsolePorts = Omit<Given<typeof rulePages>, 'toolExists' | 'toolNames' | 'listChanged'> &
  Omit<Given<typeof toolsPages>, 'machines'> &
  Given<typeof memoryPages> &
  Given<typeof mirrorPages> &
  Given<typeof serverPages> & {
    readonly pairing: Omit<Given<typeof machinePages>, 'tools' | 'loans' | 'lastCallOn'>;
    machineList: Given<typeof homeRoutes>['machines'] & Given<typeof toolsPages>['machines'];
  };

/** Serves the owner's pages, with their scripts and styles. */
export function consoleRoutes(ports: ConsolePorts): Hono {
  const { auth, gate, runLate, tools, memory, mirror, joined, host } = ports;
  const toolExists = (name: string) => tools.has(name) || isJoinedName(name);
  const listChanged = () => tellListChanged(joined, host.events);
  const withTools = { auth, gate, runLate, toolExists, listChanged, toolNames: () => [...tools.keys()] };
  const callTool: Given<typeof ledgerPages>['callTool'] = async (name, args, caller) =>
    tools.get(name)?.call(args, caller);
  const setup = () => setupState({ auth, mirror });
  const app = new Hono();
  app.route('/', consentRoutes(auth));
  app.route('/', homeRoutes({ auth, gate, machines: ports.machineList, setup }));
  app.route('/', signInRoutes(auth));
  app.route('/', connectionsRoutes(auth));
  app.route('/', proofRoutes(auth));
  app.route('/passkeys', passkeyRoutes(auth));
  app.route('/', approvalPages(withTools));
  app.route('/', loanPages({ auth, gate }));
  app.route('/', ledgerPages({ ...withTools, callTool }));
  app.route('/', rulePages(withTools));
  app.route('/', notifyPages({ auth, gate }));
  app.route('/', settingPages({ auth, gate, tools, listChanged }));
  app.route('/', toolsPages({ auth, tools, joined, machines: ports.machineList }));
  app.route('/', connectPages(auth));
  app.route('/', keysPage(auth));
  app.route('/', setupPages({ auth, mirror }));
  app.route('/', memoryPages({ auth, memory }));
  app.route('/', mirrorPages({ auth, mirror }));
  app.route('/', mirrorSettingPages({ auth, mirror }));
  app.route(
    '/',
    machinePages({
      ...ports.pairing,
      tools,
      loans: async () => gate().loans(),
      lastCallOn: async (machine) => gate().lastCallOn(machine),
    }),
  );
  app.route('/', serverPages({ auth, host, joined }));
  app.get('/sw.js', () => serviceWorkerFile());
  app.get('/assets/:name', async (c) => (await asset(c.req.param('name'))) ?? c.notFound());
  return app;
}
