import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../../contracts/contract.ts';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { freePort } from '../../local-bridge/lib/processes.ts';
import { type Gateway, startGateway } from '../../local-bridge/local/up/gateway.ts';
import { TEST_OWNER_KEY, TEST_OWNER_KEY_HASH } from './owner-key.ts';
import { PROJECT } from './up.ts';

/** A gateway of its own process with tools of each risk, which can be stopped and started again. */
export interface GateGateway {
  readonly url: string;
  readonly token: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startGateGateway(): Promise<GateGateway> {
  const stateFolder = mkdtempSync(join(tmpdir(), 'bowline-gate-'));
  const port = await freePort(0);
  const fixture = join(PROJECT, 'test', 'fixtures', 'gate');
  const start = async (): Promise<Gateway> => {
    const gateway = startGateway({
      port,
      stateFolder,
      other: {
        config: join(fixture, 'wrangler.toml'),
        entry: join(fixture, 'worker.ts'),
        // Where it stays for the next run of the tests.
        modules: join(process.env.BOWLINE_BUILT_WORKER ?? stateFolder, 'gate'),
      },
      vars: { PUBLIC_URL: `http://localhost:${port}`, OWNER_KEY_HASH: TEST_OWNER_KEY_HASH },
    });
    await gateway.ready;
    return gateway;
  };
  let gateway = await start();
  const owner = await signInAsOwner(gateway.url, TEST_OWNER_KEY);
  const { secret } = await owner.createToken({ name: 'tests', scopes: SCOPES, days: 1 });
  await owner.signOut();
  return {
    url: gateway.url,
    token: secret,
    restart: async () => {
      await gateway.stop();
      gateway = await start();
    },
    stop: async () => {
      await gateway.stop();
      rmSync(stateFolder, { recursive: true, force: true });
    },
  };
}
