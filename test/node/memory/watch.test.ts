import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lookAtMemory } from '../../../local-bridge/cli/memory/watch.ts';
import { GENESIS } from '../../../src/core/chain.ts';
import { witnessRoutes } from '../../../src/memory/witness.ts';

const GATEWAY = 'https://gateway.example';
const machineKey = generateKeyPairSync('ed25519');
const publicKey = machineKey.publicKey.export({ format: 'jwk' }).x ?? '';

let home: string;
/** The hashes of a memory, the genesis first. */
let hashes: string[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline-watch-'));
  hashes = [GENESIS, 'a', 'b'];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const app = witnessRoutes({
  origin: GATEWAY,
  memory: () => ({
    headAndHash: async (seq: number) => ({
      seq: hashes.length - 1,
      head: hashes.at(-1) ?? '',
      before: hashes[seq] ?? null,
    }),
  }),
  publicKeyOf: async (machine: string) => (machine === 'm_1' ? publicKey : undefined),
});

const signed = async (text: string) =>
  sign(null, Buffer.from(text), machineKey.privateKey).toString('base64url');

function look(more: object = {}): Promise<string | undefined> {
  return lookAtMemory({
    gateway: GATEWAY,
    machine: 'm_1',
    sign: signed,
    home,
    now: Date.now,
    fetch: (async (_: string, init: RequestInit) =>
      app.request('/', init)) as unknown as typeof globalThis.fetch,
    ...more,
  });
}

describe('a machine that watches the memory', () => {
  it('is content while the memory only grows', async () => {
    expect(await look()).toBeUndefined();
    hashes.push('c', 'd');
    expect(await look()).toBeUndefined();
    expect(await look()).toBeUndefined();
  });

  it.each(['garbage', '', '{"seq":1}'])(
    'says that its own file is damaged (%j), and keeps it',
    async (text) => {
      await look();
      const path = join(home, 'memory-seen.json');
      writeFileSync(path, text);
      expect(await look()).toContain(`${path} is damaged`);
      expect(readFileSync(path, 'utf8')).toBe(text);
      rmSync(path);
      expect(await look()).toBeUndefined();
    },
  );

  it('says that it was cut, again and again until it is mended', async () => {
    await look();
    hashes.pop();
    expect(await look()).toContain('1 entries, but this machine has already seen 2');
    hashes.push('x', 'y');
    expect(await look()).toContain('another hash');
    hashes = [GENESIS, 'a', 'b', 'c'];
    expect(await look()).toBeUndefined();
  });

  it('says that it was written anew, however long it is', async () => {
    await look();
    hashes = [GENESIS, 'a', 'other', 'c'];
    expect(await look()).toContain('Entry 2 of the memory has another hash');
  });

  it('begins anew with another gateway', async () => {
    await look();
    hashes = [GENESIS];
    const elsewhere = look({ gateway: 'https://other.example' });
    // Signed for the other one, so this one refuses.
    await expect(elsewhere).rejects.toThrow('401');
  });

  it.each([
    ['another key', { sign: async () => 'A'.repeat(86) }],
    ['a machine that is not paired', { machine: 'm_2' }],
    ['a question of six minutes ago', { now: () => Date.now() - 360_000 }],
    ['a question of tomorrow', { now: () => Date.now() + 86_400_000 }],
  ])('gets no answer with %s', async (_, more) => {
    await expect(look(more)).rejects.toThrow('401');
  });

  it.each(['', '{', '{}', '{"machine":"m_1","at":1,"seq":-1,"signature":""}', `"${'x'.repeat(5_000_000)}"`])(
    'gets no answer to what is no question',
    async (body) => {
      expect((await app.request('/', { method: 'POST', body })).status).toBe(400);
    },
  );
});
