import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { emptyStorage } from './empty-storage.ts';

const object = () => env.GATE.get(env.GATE.idFromName('owner'));

it.each([true, false])('empties an object (asleep: %s)', async (isAsleep) => {
  await runInDurableObject(object(), (_, { storage }) => storage.put('left', 'behind'));
  if (isAsleep) await evictAllDurableObjects();
  await emptyStorage();
  expect(await runInDurableObject(object(), (_, { storage }) => storage.get('left'))).toBeUndefined();
});
