import { bundleGateway, GATEWAY_OBJECTS, startWorkerd } from '../../bench/support/workerd.ts';
import { SCOPES } from '../../contracts/contract.ts';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { TEST_OWNER_KEY, TEST_OWNER_KEY_HASH } from './owner-key.ts';

/** A gateway of its own process with tools of each risk, which can be stopped and started again. */
export interface GateGateway {
  readonly url: string;
  readonly token: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startGateGateway(): Promise<GateGateway> {
  const bundle = await bundleGateway('test/fixtures/gate/worker.ts', { minify: false });
  const worker = await startWorkerd('gate', bundle, {
    vars: {
      PUBLIC_URL: 'http://127.0.0.1',
      ALLOWED_HOSTS: '127.0.0.1,localhost',
      OWNER_KEY_HASH: TEST_OWNER_KEY_HASH,
    },
    objects: { ...GATEWAY_OBJECTS, EVENTS: 'EventsObject', COUNTS: 'RunCounts' },
    kv: ['OAUTH_KV'],
  });
  const owner = await signInAsOwner(worker.url, TEST_OWNER_KEY);
  const { secret } = await owner.createToken({ name: 'tests', scopes: SCOPES, days: 1 });
  await owner.signOut();
  return { url: worker.url, token: secret, restart: worker.restart, stop: worker.stop };
}
