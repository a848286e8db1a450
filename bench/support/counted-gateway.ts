import { createHash, randomBytes } from 'node:crypto';
import { type NewToken, signInAsOwner } from '../../local-bridge/lib/owner-client.ts';
import { bundleGateway, GATEWAY_OBJECTS, startWorkerd } from './workerd.ts';

/** Starts the whole gateway with counters around its bindings and in its databases, and signs in as its owner. */
export async function startCountedGateway(name: string, scopes: NewToken['scopes']) {
  const ownerKey = `bwl_owner_${randomBytes(32).toString('base64url')}`;
  const gateway = await startWorkerd(name, await bundleGateway('bench/cost-worker.ts'), {
    vars: {
      PUBLIC_URL: 'http://127.0.0.1',
      ALLOWED_HOSTS: '127.0.0.1,localhost',
      OWNER_KEY_HASH: createHash('sha256').update(ownerKey).digest('hex'),
    },
    objects: {
      ...GATEWAY_OBJECTS,
      MACHINE: 'MachineObject',
      EVENTS: 'EventsObject',
      MIRROR: 'RepoMirror',
      BARE: 'BareLink',
    },
    kv: ['OAUTH_KV'],
  });
  const owner = await signInAsOwner(gateway.url, ownerKey);
  const { secret } = await owner.createToken({ name: 'bench', scopes, days: 1 });
  return { gateway, owner, bearer: { authorization: `Bearer ${secret}` } };
}
