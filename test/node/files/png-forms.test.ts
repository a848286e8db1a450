import { describe, expect, it } from 'vitest';
import { chunk } from './made-files.ts';
import { type Colour, drawnPng, made, pixelsOf } from './made-pictures.ts';

describe('a PNG of any form is read', () => {
  const forms = ([0, 2, 3, 4, 6] as const).flatMap((colour) =>
    ([1, 2, 4, 8, 16] as const)
      .filter((bits) => bits >= 8 || colour === 0 || colour === 3)
      .filter((bits) => !(colour === 3 && bits === 16))
      .flatMap((bits) => [false, true].map((isInterlaced) => ({ colour, bits, isInterlaced }))),
  );
  const LIST: readonly Colour[] = [
    [10, 20, 30, 0],
    [200, 100, 50, 128],
    [1, 2, 3, 255],
    [255, 254, 253, 255],
  ];
  const PALETTE = [
    chunk('PLTE', Buffer.from(LIST.flatMap((colour) => colour.slice(0, 3)))),
    chunk('tRNS', Buffer.from([0, 128])),
  ];

  // Two columns become one, and both are the same.
  it.each(forms)('%o', async ({ colour, bits, isInterlaced }) => {
    const most = 2 ** bits - 1;
    const valuesAt = (x: number, y: number): number[] => {
      const seed = (x >> 1) * 7 + (y >> 1) * 13;
      if (colour === 3) return [seed % Math.min(most + 1, 4)];
      const value = (i: number) => Math.round((((seed + i * 5) % 17) / 16) * most);
      if (colour === 0) return [value(0)];
      if (colour === 4) return [value(0), most];
      return [value(0), value(1), value(2), ...(colour === 6 ? [most] : [])];
    };
    const form = { width: 3_136, height: 20, colour, bits, isInterlaced, more: colour === 3 ? PALETTE : [] };
    const picture = await made(drawnPng(form, valuesAt));
    expect(picture).toMatchObject({ mime: 'image/png', width: 1_568, height: 10 });
    const at = pixelsOf(picture.bytes);
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [783, 5],
      [1_567, 9],
      [1_000, 7],
    ] as const) {
      const values = valuesAt(x * 2, y * 2);
      const shade = (i: number) => (bits === 16 ? (values[i] ?? 0) >> 8 : ((values[i] ?? 0) * 255) / most);
      const isGrey = colour === 0 || colour === 4;
      const listed = LIST[values[0] ?? 0] ?? LIST[0];
      const expected =
        colour === 3 ? listed : [...(isGrey ? [0, 0, 0] : [0, 1, 2]).map((i) => Math.trunc(shade(i))), 255];
      // The colour of what is clear does not matter.
      if (expected?.[3] === 0) expect(at(x, y)[3]).toBe(0);
      else expect(at(x, y)).toEqual(expected);
    }
  });

  it.each([
    [0, 8, [0, 77]],
    [2, 8, [0, 77, 0, 78, 0, 79]],
    [0, 16, [1, 77]],
    [2, 16, [1, 77, 1, 78, 1, 79]],
  ] as const)('with a colour that is clear: %i, %i bits', async (colour, bits, clear) => {
    const values = [0, 1, 2].map((i) => (bits === 16 ? 256 : 0) + 77 + i).slice(0, colour === 0 ? 1 : 3);
    const form = { width: 3_136, height: 2, colour, bits, more: [chunk('tRNS', Buffer.from(clear))] };
    const other = values.map((value) => value + (bits === 16 ? 255 : 9));
    const picture = await made(drawnPng(form, (x) => (x < 1_568 ? values : other)));
    const at = pixelsOf(picture.bytes);
    expect([at(0, 0)[3], at(783, 0)[3], at(784, 0)[3]]).toEqual([0, 0, 255]);
  });
});
