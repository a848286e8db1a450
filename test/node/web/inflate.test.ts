import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { inflated } from '../../../src/web/inflate.ts';

/** A body as a Worker gets it: the platform there leaves `deflate` packed. */
const open = (bytes: Uint8Array, maxBytes = 1_000) =>
  inflated({ bytes, truncated: false }, new Headers({ 'content-encoding': 'deflate' }), {
    maxBytes,
    overflow: 'cut',
  });

it('unpacks what a platform has left packed, within the limit', async () => {
  const small = await open(deflateSync('Knots hold.'));
  expect(small !== 'too_large' && new TextDecoder().decode(small.bytes)).toBe('Knots hold.');
  const bomb = await open(deflateSync(Buffer.alloc(50_000_000, 97)));
  expect(bomb).toMatchObject({ truncated: true, bytes: expect.objectContaining({ byteLength: 1_000 }) });
});

it('leaves what is no such body as it is', async () => {
  const plain = new TextEncoder().encode('<p>Knots hold.</p>');
  expect(await open(plain)).toMatchObject({ bytes: plain });
  const broken = deflateSync('Knots hold.').subarray(0, 6);
  expect(await open(broken)).toMatchObject({ bytes: broken });
});
