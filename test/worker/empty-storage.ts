import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

/**
 * Empties the storage that test files share. `reset` leaves alone what an object stored that went to sleep meanwhile, as
 * one does after ten idle seconds, and it knows nothing of KV and R2. So wake the objects that the gateway has one of,
 * and empty those two here.
 */
export async function emptyStorage(): Promise<void> {
  await Promise.all([wake(env.OWNER), wake(env.GATE), wake(env.MEMORY), wake(env.MIRROR), wake(env.EVENTS)]);
  await reset();
  for (let left = true; left; ) {
    const [{ keys }, { objects }] = await Promise.all([env.OAUTH_KV.list(), env.BLOBS.list()]);
    await Promise.all(keys.map(({ name }) => env.OAUTH_KV.delete(name)));
    await env.BLOBS.delete(objects.map(({ key }) => key));
    left = keys.length + objects.length > 0;
  }
}

async function wake<T extends Rpc.DurableObjectBranded>(namespace: DurableObjectNamespace<T>): Promise<void> {
  const stub: DurableObjectStub = namespace.get(namespace.idFromName('owner'));
  await runInDurableObject(stub, () => undefined);
}
