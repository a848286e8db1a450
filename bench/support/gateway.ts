import { createHash, randomBytes } from 'node:crypto';
import { signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { type BareWorker, bundleGateway, GATEWAY_OBJECTS, type Modules, startWorkerd } from './workerd.ts';

export interface MeasuredGateway {
  readonly worker: BareWorker;
  /** A token with every scope. */
  readonly token: string;
}

/** Starts the gateway on bare workerd with everything on, and rates so high that they stop nothing. */
export async function startGateway(built?: Modules): Promise<MeasuredGateway> {
  const ownerKey = `bwl_owner_${randomBytes(32).toString('base64url')}`;
  const worker = await startWorkerd('bowline', built ?? (await bundleGateway()), {
    vars: {
      PUBLIC_URL: 'http://127.0.0.1',
      ALLOWED_HOSTS: '127.0.0.1',
      OWNER_KEY_HASH: createHash('sha256').update(ownerKey).digest('hex'),
    },
    objects: { ...GATEWAY_OBJECTS, EVENTS: 'EventsObject' },
    kv: ['OAUTH_KV'],
  });
  const owner = await signInAsOwner(worker.url, ownerKey);
  const { secret } = await owner.createToken({
    name: 'bench',
    scopes: ['read', 'write', 'machine'],
    days: 1,
  });
  await owner.call('PUT', 'settings/rates', { value: { hello: 1_000_000 } });
  return { worker, token: secret };
}
