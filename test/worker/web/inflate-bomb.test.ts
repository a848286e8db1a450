import { expect, it } from 'vitest';
import { inflated } from '../../../src/web/inflate.ts';

/** Packs this many million zeros. */
async function packed(millions: number): Promise<Uint8Array> {
  const packing = new CompressionStream('deflate');
  const whole = new Response(packing.readable).arrayBuffer();
  const writer = packing.writable.getWriter();
  for (let i = 0; i < millions; i++) await writer.write(new Uint8Array(1_000_000));
  await writer.close();
  return new Uint8Array(await whole);
}

it('unpacks no more of a bomb than the limit', async () => {
  const limit = { maxBytes: 1_000_000, overflow: 'cut' } as const;
  const headers = new Headers({ 'content-encoding': 'deflate' });
  const bomb = await packed(100);
  let fed = 0;
  const slice = bomb.slice.bind(bomb);
  const counted = Object.assign(bomb, {
    slice: (from: number, to: number) => {
      fed = Math.max(fed, Math.min(to, bomb.length));
      return slice(from, to);
    },
  });
  const body = await inflated({ bytes: counted, truncated: false }, headers, limit);
  expect(body).toMatchObject({ truncated: true, bytes: { byteLength: 1_000_000 } });
  expect(fed).toBeGreaterThan(0);
  expect(fed).toBeLessThan(bomb.length / 5);
});
