import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../../contracts/contract.ts';
import { pairMachine } from '../../local-bridge/agent/pairing/pair.ts';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { type Gateway, startGateway } from '../../local-bridge/local/up/gateway.ts';
import { localSecrets } from '../../local-bridge/local/up/local-secrets.ts';
import { startOwner } from '../soak/owner.ts';
import { type Running, startBowline } from './bridge.ts';

/** A gateway and a bridge as processes of their own, each of which can be killed, and an owner who says yes by default. */
export async function startTwoSides(machine: string, { approves = true } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-two-')));
  const [home, state, root] = [join(base, 'home'), join(base, 'state'), join(base, 'root')];
  for (const folder of [home, state, root]) mkdirSync(folder, { mode: 0o700 });
  const port = await freePort(0);
  const url = `http://localhost:${port}`;
  const { ownerKey, envFile } = localSecrets(state);
  let gateway: Gateway | undefined;
  let bridge: Running | undefined;

  const upGateway = async () => {
    gateway = startGateway({ port, stateFolder: state, vars: { PUBLIC_URL: url }, envFile });
    await gateway.ready;
  };
  const killGateway = async () => {
    gateway?.kill();
    await gateway?.ended;
  };
  const upBridge = () => {
    bridge = startBowline(['connect', '--root', `root=${root}`, '--no-approvals', '--closed', state], {
      BOWLINE_HOME: home,
    });
  };
  await upGateway();
  const owner = await signInAsOwner(url, ownerKey);
  const { secret: token } = await owner.createToken({ name: 'tests', scopes: [...SCOPES], days: 1 });
  await pairMachine({
    ...{ url, home, name: machine },
    onCode: async ({ code, fingerprint }) =>
      void (await owner.call('POST', `machines/pair/${code}`, { decision: 'confirm', fingerprint })),
  });
  upBridge();
  await bridge?.shows(/● online/);
  const deciding = approves ? startOwner(owner) : undefined;

  const isOnline = async () => {
    const { machines } = (await owner.call('GET', 'machines')) as { machines: { online: boolean }[] };
    return machines[0]?.online === true;
  };
  return {
    ...{ url, token, owner, ownerKey, root, home },
    killGateway,
    startGateway: upGateway,
    killBridge: async () => void (await bridge?.end('SIGKILL')),
    signalBridge: (signal: NodeJS.Signals) => void bridge?.child.kill(signal),
    startBridge: upBridge,
    isOnline,
    /** Calls a tool as plain HTTP. */
    call: async (tool: string, args: object) => {
      const response = await fetch(`${url}/tools/${tool}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(args),
      });
      return (await response.json()) as Answer;
    },
    stop: async () => {
      await deciding?.stop();
      await bridge?.end('SIGTERM');
      await gateway?.stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** What comes back, of a call that went well or of one that did not. */
export interface Answer {
  readonly output?: string;
  readonly replayed?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly suggestion?: string;
  readonly call_id?: string;
  readonly state?: string;
}
