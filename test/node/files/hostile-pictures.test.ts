import { describe, expect, it } from 'vitest';
import { plainPicture } from '../../../local-bridge/tools/reading/pictures.ts';
import { chunk, FRAME, jpegOf, PNG, part, pngOf } from './made-files.ts';

const SECRET = Buffer.from('SECRET at 52.52, 13.40');
const jfif = (small: Buffer = Buffer.alloc(0)) =>
  part(
    0xe0,
    Buffer.concat([
      Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01'),
      Buffer.from(small.length > 0 ? [1, 1] : [0, 0]),
      small,
    ]),
  );
const frame = (width: number, height: number, marker = 0xc0) => {
  const bytes = Buffer.from(FRAME);
  bytes[1] = marker;
  bytes.writeUInt16BE(height, 5);
  bytes.writeUInt16BE(width, 7);
  return bytes;
};
/** A PNG whose head has these last five bytes: bits, colours, packing, filter, order. */
const headed = (...last: readonly number[]) => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(3);
  size.writeUInt32BE(2, 4);
  const head = chunk('IHDR', Buffer.concat([size, Buffer.from(last)]));
  return Buffer.concat([PNG, head, pngOf(3).subarray(PNG.length + 25)]);
};

describe('what a picture tells', () => {
  it.each([
    ['pictures after the first one', ['acTL', 'fcTL', 'fdAT']],
    [
      'profiles and texts of any kind',
      ['iCCP', 'eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME', 'vpAg', 'caBX', 'sPLT', 'hIST', 'cHRM'],
    ],
  ])('is left out of a PNG: %s', (_, kinds) => {
    const whole = pngOf(
      3,
      4,
      kinds.map((kind) => chunk(kind, SECRET)),
    );
    expect(plainPicture(Buffer.concat([whole, SECRET]))?.bytes).toEqual(pngOf(3));
  });

  it.each(['gAMA', 'sRGB', 'PLTE', 'tRNS', 'IEND'])('cannot hide in a part that pixels need: %s', (kind) => {
    const long = chunk(kind, Buffer.alloc(800, SECRET));
    const shown = plainPicture(pngOf(3, 4, [long]));
    expect(shown?.bytes.includes(SECRET) ?? false).toBe(false);
  });

  it('cannot hide in a part that comes twice', () => {
    const gamma = chunk('gAMA', SECRET.subarray(0, 4));
    expect(plainPicture(pngOf(3, 4, [gamma]))).toBeDefined();
    expect(plainPicture(pngOf(3, 4, [gamma, gamma]))).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ['the small picture of JFIF', jfif(SECRET)],
    ['another small picture', part(0xe0, Buffer.concat([Buffer.from('JFXX\0\x10'), SECRET]))],
    [
      'a program in Adobe\u2019s part',
      part(0xee, Buffer.concat([Buffer.from('Adobe\0d\0\0\0\0\x01'), SECRET])),
    ],
    ['another program in that part', part(0xee, Buffer.concat([Buffer.from('Other'), SECRET]))],
    ...[0xe1, 0xe2, 0xed, 0xef, 0xfe, 0xf0, 0xfd, 0xc8, 0x02, 0xbf, 0xdc, 0xde, 0xdf].map(
      (marker): [string, Buffer] => [`part ${marker.toString(16)}`, part(marker, SECRET)],
    ),
  ])('is left out of a JPEG: %s', (_, said) => {
    const shown = plainPicture(Buffer.concat([jpegOf(said, FRAME), SECRET]));
    expect(shown).toMatchObject({ width: 3, height: 2 });
    expect(shown?.bytes.includes('SECRET')).toBe(false);
    expect(plainPicture(shown?.bytes ?? Buffer.alloc(0))).toEqual(shown);
  });

  it('of colours and the shape of a pixel stays', () => {
    const adobe = part(0xee, Buffer.from('Adobe\0d\0\0\0\0\x01'));
    expect(plainPicture(jpegOf(jfif(), adobe, FRAME))?.bytes).toEqual(jpegOf(jfif(), adobe, FRAME));
  });
});

describe('a picture that no viewer could show is none', () => {
  const sum = Buffer.from(pngOf(3));
  sum.writeUInt8((sum[sum.length - 14] ?? 0) ^ 1, sum.length - 14);
  const endless = pngOf(3);
  endless.writeUInt32BE(0xffffffff, PNG.length + 25);
  it.each<[string, Buffer]>([
    ['a PNG of no width', pngOf(0)],
    ['a PNG with a wrong sum', sum],
    ['a PNG with a part of four gigabytes', endless],
    [
      'a PNG without pixels',
      Buffer.concat([pngOf(3).subarray(0, PNG.length + 25), chunk('IEND', Buffer.alloc(0))]),
    ],
    [
      'a PNG with two heads',
      Buffer.concat([pngOf(9).subarray(0, PNG.length + 25), pngOf(3).subarray(PNG.length)]),
    ],
    [
      'a PNG that begins with its pixels',
      Buffer.concat([PNG, chunk('IDAT', Buffer.alloc(4)), pngOf(3).subarray(PNG.length)]),
    ],
    ['a PNG of unknown bits', headed(7, 6, 0, 0, 0)],
    ['a PNG of unknown colours', headed(8, 5, 0, 0, 0)],
    ['a PNG packed in an unknown way', headed(8, 6, 1, 0, 0)],
    ['a PNG with an unknown filter', headed(8, 6, 0, 1, 0)],
    ['a PNG in an unknown order', headed(8, 6, 0, 0, 2)],
    ['a JPEG of no height', jpegOf(frame(3, 0))],
    ['a JPEG of two sizes', jpegOf(frame(3, 2), frame(60_000, 60_000))],
    ['a JPEG without a frame', jpegOf()],
    ['a JPEG without a scan', Buffer.concat([Buffer.from([0xff, 0xd8]), FRAME, Buffer.from([0xff, 0xd9])])],
    [
      'a JPEG whose frame has more than it says',
      jpegOf(Buffer.concat([part(0xc0, Buffer.concat([FRAME.subarray(4), SECRET]))])),
    ],
    ['a JPEG that ends in a length', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff])],
    ['a JPEG that never ends', jpegOf(FRAME).subarray(0, -2)],
  ])('%s', (_, bytes) => {
    expect(plainPicture(bytes)).toBeUndefined();
  });

  it('one of as many parts as it may have is shown', () => {
    const parts = (count: number) => Array.from({ length: count }, () => chunk('tEXt', Buffer.alloc(0)));
    // Its head, pixels and end are parts too.
    for (const [count, is] of [
      [9_996, true],
      [9_997, true],
      [9_998, false],
    ] as const)
      expect([count, plainPicture(pngOf(3, 4, parts(count))) !== undefined]).toEqual([count, is]);
    const said = (count: number) => Array.from({ length: count }, () => part(0xfe, Buffer.alloc(0)));
    // Its frame and its scan are parts too; its end is none.
    for (const [count, is] of [
      [9_996, true],
      [9_997, true],
      [9_998, false],
    ] as const)
      expect([count, plainPicture(jpegOf(...said(count), FRAME)) !== undefined]).toEqual([count, is]);
  });
});
