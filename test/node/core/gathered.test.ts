import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gathered } from '../../../src/core/gathered.ts';

describe('bytes that come in pieces', () => {
  it('are the same bytes, whatever the pieces are', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), (pieces) => {
        const gathered = new Gathered();
        for (const piece of pieces) gathered.add(piece);
        expect(gathered.length).toBe(pieces.reduce((sum, { length }) => sum + length, 0));
        expect(Buffer.from(gathered.whole())).toEqual(Buffer.concat(pieces));
      }),
    );
  });

  it('keep none of the buffers that they came in', () => {
    const gathered = new Gathered();
    const piece = () => new Uint8Array(new ArrayBuffer(4_096), 0, 1).fill(7);
    const last = piece();
    for (let i = 0; i < 10_000; i++) gathered.add(piece());
    gathered.add(last);
    last.fill(0);
    const { buffer, length } = gathered.whole();
    expect(length).toBe(10_001);
    expect(buffer.byteLength).toBeLessThan(20_000);
    expect(gathered.whole().at(-1)).toBe(7);
  });
});
