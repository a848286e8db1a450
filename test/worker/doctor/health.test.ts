import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/core/version.ts';
import { healthOf } from '../../../src/doctor/health.ts';
import { healthPorts } from '../../../src/doctor/health-ports.ts';
import { bearer, personalToken, signedIn } from '../auth/support.ts';
import { GATEWAY, send } from '../http.ts';
import { append, entry, inMemory, newMemory } from '../memory/support.ts';

const PATH = '/api/owner/health';

/** The gateway's own parts, one of them another. */
function health(other: Partial<Parameters<typeof healthPorts>[0]> = {}) {
  return healthOf(
    healthPorts({
      origin: GATEWAY,
      env,
      owner: () => env.OWNER.get(env.OWNER.idFromName('owner')),
      gate: () => env.GATE.get(env.GATE.idFromName('owner')),
      events: () => env.EVENTS.get(env.EVENTS.idFromName('owner')),
      memory: () => env.MEMORY.get(env.MEMORY.idFromName('owner')),
      mirror: () => env.MIRROR.get(env.MIRROR.idFromName('owner')),
      machines: async () => [],
      ...other,
    }),
  );
}

const broken = async (other: Parameters<typeof health>[0]) =>
  (await health(other)).storage.filter(({ ok }) => !ok);

describe('the health report', () => {
  it('tells the owner how everything stands that the gateway is bound to', async () => {
    const browser = await signedIn();
    const response = await browser.send(PATH);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({
      version: VERSION,
      origin: GATEWAY,
      settings: { owner_key: true, memory_key: false, search: null, github: null },
      storage: ['OAUTH_KV', 'BLOBS', 'OWNER', 'GATE', 'MEMORY', 'MIRROR', 'EVENTS'].map((name) => ({
        name,
        ok: true,
      })),
      memory: { value: { locked: null } },
      mirror: { value: { commit: null, problem: null } },
      machines: { value: [] },
    });
  });

  it('tells nobody else, whatever token they hold', async () => {
    expect((await send(PATH)).status).toBe(401);
    const { secret } = await personalToken(['read', 'write', 'machine']);
    expect((await send(PATH, { headers: bearer(secret) })).status).toBe(401);
  });

  it('holds no secret', async () => {
    const secret = 'never to be seen';
    const said = JSON.stringify(
      await health({
        env: {
          ...env,
          OWNER_KEY_HASH: secret,
          MEMORY_KEY: secret,
          GITHUB_REPO: 'me/notes',
          GITHUB_WEBHOOK_SECRET: secret,
        },
      }),
    );
    expect(said).not.toContain(secret);
    expect(said).toContain('"github":{"repo":"me/notes","secret":true}');
  });

  it.each([
    [{ SEARXNG_URL: 'http://x' }, 'searxng'],
    [{ LITELLM_URL: 'http://x', SEARXNG_URL: 'http://x' }, 'litellm'],
    [{ SEARCH_BACKEND: 'cloudflare', SEARXNG_URL: 'http://x' }, 'cloudflare'],
    [{ AI: {} }, 'cloudflare'],
  ])('says what %j searches with', async (set, search) => {
    expect((await health({ env: set })).settings.search).toBe(search);
  });

  it('finds R2 missing, and goes on', async () => {
    const { BLOBS: _, ...without } = env;
    const report = await health({ env: without });
    expect(report.storage.filter(({ ok }) => !ok)).toEqual([
      { name: 'BLOBS', ok: false, why: 'the gateway has no such binding' },
    ]);
    expect(report.memory).toHaveProperty('value');
  });

  it('finds KV that fails, and an object that cannot be reached', async () => {
    const OAUTH_KV = { get: () => Promise.reject(new Error('10000 KV is down')) };
    expect(await broken({ env: { ...env, OAUTH_KV: OAUTH_KV as never } })).toEqual([
      { name: 'OAUTH_KV', ok: false, why: '10000 KV is down' },
    ]);
    const gate = () => {
      throw new Error('no such class');
    };
    expect(await broken({ gate })).toEqual([{ name: 'GATE', ok: false, why: 'no such class' }]);
  });

  it('keeps the rest of the report when a part of it fails', async () => {
    const report = await health({ machines: () => Promise.reject(new Error('x'.repeat(1_000))) });
    expect(report.machines).toEqual({ why: 'x'.repeat(300) });
    expect(report.mirror).toHaveProperty('value');
  });

  it('finds a memory whose schema somebody changed', async () => {
    const memory = newMemory();
    await append(memory, entry(1));
    await inMemory(memory, (sql) => {
      const [trigger] = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'trigger'");
      sql.exec(`DROP TRIGGER ${trigger?.name}`);
    });
    await evictDurableObject(memory);
    const { memory: said } = await health({ memory: () => memory });
    expect(said).toMatchObject({ value: { seq: 1 } });
    expect('value' in said && said.value.locked).toBeTruthy();
  });
});
