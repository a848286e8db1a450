import type { ChildProcess } from 'node:child_process';
import { deflateSync, inflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from '../../../local-bridge/tools/reading/parsers.ts';
import {
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  MAX_PIXELS,
  MAX_SIDE,
  plainPicture,
  SEEN_PIXELS,
  SEEN_SIDE,
} from '../../../local-bridge/tools/reading/pictures.ts';
import { readJpeg } from '../../../local-bridge/tools/reading/pixels/jpeg-code.ts';
import { startedPrograms } from '../../support/started-programs.ts';
import { fileRig } from '../workspace/rig.ts';
import { chunk, PNG } from './made-files.ts';
import {
  claimedJpeg,
  claimedPng,
  drawnPng,
  exifOf,
  JPEGS,
  made,
  type PngForm,
  pixelsOf,
  withParts,
} from './made-pictures.ts';
import { read } from './read-many.ts';

let programs: readonly ChildProcess[];
beforeEach(() => {
  programs = startedPrograms();
});

interface Shown {
  readonly kind: string;
  readonly width?: number;
  readonly height?: number;
  readonly file_width?: number;
  readonly file_height?: number;
  readonly mime_type?: string;
  readonly data?: string;
}

/** Reads one picture through the tool. */
async function shown(bytes: Buffer, more: object = {}) {
  const rig = fileRig({ files: { 'a.bin': bytes } });
  const { files, output } = await read(rig, ['a.bin'], more);
  const [file] = files as readonly Shown[];
  if (!file) throw new Error('Nothing was read.');
  return { ...file, output, bytes: Buffer.from(file.data ?? '', 'base64') };
}

const grey = (width: number, height: number): Buffer =>
  drawnPng({ width, height, colour: 0, bits: 1 }, () => [1]);

describe('a picture', () => {
  it.each([
    [SEEN_SIDE - 1, 1, 0],
    [SEEN_SIDE, 1, 0],
    [SEEN_SIDE + 1, 1, 1],
    [1_150, SEEN_PIXELS / 1_150 - 1, 0],
    [1_150, SEEN_PIXELS / 1_150, 0],
    [1_150, SEEN_PIXELS / 1_150 + 1, 1],
  ])('of %i × %i pixels is made smaller by %i programs', async (width, height, count) => {
    const file = await shown(grey(width, height));
    expect(programs.length).toBe(count);
    expect(file.kind).toBe('picture');
    expect(Math.max(file.width ?? 0, file.height ?? 0)).toBeLessThanOrEqual(SEEN_SIDE);
    expect((file.width ?? 0) * (file.height ?? 0)).toBeLessThanOrEqual(SEEN_PIXELS);
    expect([file.file_width, file.file_height]).toEqual(count ? [width, height] : [undefined, undefined]);
    expect(plainPicture(file.bytes)).toMatchObject({ width: file.width, height: file.height });
    expect(file.output).toContain(count ? `, ${width} × ${height} in the file)` : ` × ${height} pixels)`);
  });

  it('of too many bytes is written anew, and shown in full size only if it has few enough', async () => {
    let seed = 1;
    const noise = () => {
      seed = Math.imul(seed, 1_664_525) + 1_013_904_223;
      return (seed >>> 16) & 255;
    };
    const form = { width: 600, height: 500, colour: 2, bits: 8 } as const;
    const bytes = drawnPng(form, () => [noise(), noise(), noise()]);
    expect(bytes.length).toBeGreaterThan(MAX_PICTURE_BYTES);
    const file = await shown(bytes);
    expect(file).toMatchObject({ width: 600, height: 500, file_width: 600, mime_type: 'image/jpeg' });
    expect(file.bytes.length).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
    const full = await shown(bytes, { full_size: true });
    expect(full.kind).toBe('binary');
    expect(full.output).toContain('leave out `full_size`');
  });

  it.each([
    [MAX_PICTURE_SIDE - 1, 'picture'],
    [MAX_PICTURE_SIDE, 'picture'],
    [MAX_PICTURE_SIDE + 1, 'binary'],
  ])('is shown as it is in full size: %i pixels, %s', async (width, kind) => {
    const bytes = grey(width, 1);
    const file = await shown(bytes, { full_size: true });
    expect([file.kind, programs.length]).toEqual([kind, 0]);
    if (kind === 'picture') expect([file.bytes, file.width]).toEqual([bytes, width]);
    expect(file.file_width).toBeUndefined();
  });

  it.each([
    [MAX_PIXELS / 8_000 - 1, 1, 'is damaged'],
    [MAX_PIXELS / 8_000, 1, 'is damaged'],
    [MAX_PIXELS / 8_000 + 1, 0, 'more than 40 million'],
  ])('that claims 8000 × %i pixels is read by %i programs', async (height, count, why) => {
    const file = await shown(claimedPng(8_000, height));
    expect([file.kind, programs.length]).toEqual(['binary', count]);
    expect(file.output).toContain(why);
  });

  it.each([
    [MAX_SIDE - 1, 1, 'is damaged'],
    [MAX_SIDE, 1, 'is damaged'],
    [MAX_SIDE + 1, 0, 'more than 65535 a side'],
    [MAX_PIXELS, 0, 'more than 65535 a side'],
  ])('that claims a side of %i pixels is read by %i programs', async (side, count, why) => {
    for (const [width, height] of [
      [side, 1],
      [1, side],
    ] as const) {
      programs = startedPrograms();
      const file = await shown(claimedPng(width, height));
      expect([file.kind, programs.length]).toEqual(['binary', count]);
      expect(file.output).toContain(why);
    }
  });

  it('keeps a thin line, and mixes each colour by how much of a pixel it covers', async () => {
    const form: PngForm = { width: 3_136, height: 4, colour: 2, bits: 8 };
    const at = pixelsOf((await made(drawnPng(form, (x) => (x % 4 === 0 ? [200, 0, 40] : [0, 0, 0])))).bytes);
    expect([at(0, 0), at(1, 1), at(2, 0)]).toEqual([
      [100, 0, 20, 255],
      [0, 0, 0, 255],
      [100, 0, 20, 255],
    ]);
    // The colour of what is clear does not show.
    const clear: PngForm = { width: 3_136, height: 2, colour: 6, bits: 8 };
    const mixed = drawnPng(clear, (x) => (x % 2 === 0 ? [9, 99, 199, 200] : [255, 255, 255, 0]));
    expect(pixelsOf((await made(mixed)).bytes)(0, 0)).toEqual([9, 99, 199, 100]);
  });
});

describe('a JPEG', () => {
  const CORNERS = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255], white: [255, 255, 255] };
  /** Names the colour of each corner: above left and right, below left and right. */
  const cornersOf = (jpeg: Buffer) => {
    const { width, height, data } = readJpeg(jpeg);
    return [
      [2, 2],
      [width - 3, 2],
      [2, height - 3],
      [width - 3, height - 3],
    ].map(([x = 0, y = 0]) => {
      const at = [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
      const isIt = (colour: readonly number[]) =>
        at.every((value, i) => Math.abs(value - (colour[i] ?? 0)) < 60);
      return Object.entries(CORNERS).find(([, colour]) => isIt(colour))?.[0] ?? at.join();
    });
  };

  it.each([
    [2, 'green red white blue'],
    [3, 'white blue green red'],
    [4, 'blue white red green'],
    [5, 'red blue green white'],
    [6, 'blue red white green'],
    [7, 'white green blue red'],
    [8, 'green white red blue'],
  ] as const)('that lies as %i is turned upright', async (turn, corners) => {
    for (const order of ['II', 'MM'] as const) {
      const picture = await made(withParts(JPEGS.plain, exifOf(turn, order)));
      const [width, height] = turn < 5 ? [32, 16] : [16, 32];
      expect(picture).toMatchObject({ width, height });
      expect(cornersOf(picture.bytes).join(' ')).toBe(corners);
    }
  });

  it('that does not lie upright is read for that alone, and tells nothing else', async () => {
    const file = await shown(withParts(JPEGS.plain, exifOf(6)));
    const sides = { width: 16, height: 32, file_width: 32, file_height: 16 };
    expect(file).toMatchObject({ kind: 'picture', ...sides, mime_type: 'image/jpeg' });
    expect(plainPicture(file.bytes)?.turn).toBeUndefined();
    expect(file.bytes.includes('SECRET')).toBe(false);
  });

  it('is shown in full size as it lies, and nothing else is told with it', async () => {
    const file = await shown(withParts(JPEGS.plain, exifOf(6)), { full_size: true });
    expect(file).toMatchObject({ kind: 'picture', width: 32, height: 16 });
    expect(file.output).toContain('not upright');
    expect(plainPicture(file.bytes)).toMatchObject({ turn: 6, bytes: JPEGS.plain });
    expect(file.bytes.length).toBe(JPEGS.plain.length + 36);
    expect(file.bytes.includes('SECRET')).toBe(false);
  });

  it.each([
    ['an unknown way', exifOf(9)],
    ['no way', exifOf(0)],
    ['another kind of number', exifOf(6, 'II', { kind: 4 })],
    ['a list that lies outside', exifOf(6, 'MM', { at: 0xfffffff0 })],
    ['a list that lies at its end', exifOf(6, 'II', { at: 58 })],
  ])('that says %s is shown as it is', async (_, said) => {
    const file = await shown(withParts(JPEGS.plain, said));
    expect([file.bytes, programs.length]).toEqual([JPEGS.plain, 0]);
  });

  it.each(['progressive', 'cmyk'] as const)('of a rarer kind is read: %s', async (kind) => {
    const picture = await made(withParts(JPEGS[kind], exifOf(3)));
    const [, blue, , red] = cornersOf(picture.bytes);
    // Printers' colours have no exact ones on a screen.
    if (kind === 'progressive') expect([blue, red]).toEqual(['blue', 'red']);
    const { data } = readJpeg(picture.bytes);
    const last = data.subarray(data.length - 4);
    expect((last[0] ?? 0) - (last[2] ?? 0)).toBeGreaterThan(100);
  });
});

describe('a hostile picture', () => {
  const frame = JPEGS.plain.indexOf(Buffer.from([0xff, 0xc0]));
  const untabled = Buffer.concat([JPEGS.plain.subarray(0, 2), JPEGS.plain.subarray(frame)]);
  it.each<[string, Buffer, number]>([
    ['a PNG of four billion pixels', claimedPng(65_535, 65_535), 0],
    ['a PNG of 2 ** 62 pixels', claimedPng(2 ** 31, 2 ** 31), 0],
    ['a JPEG of four billion pixels', claimedJpeg(65_535, 65_535), 0],
    ['a PNG without the pixels that it claims', claimedPng(6_000, 6_000), 1],
    ['a PNG whose pixels are no packed bytes', claimedPng(2_000, 1).fill(0x41, 41, 45), 0],
    ['a PNG with an unknown filter', drawnPng({ width: 2_000, height: 1, colour: 0, bits: 8 }, () => [0]), 1],
    [
      'a PNG with a colour that it does not list',
      drawnPng({ width: 2_000, height: 1, colour: 3, bits: 8 }, () => [1]),
      1,
    ],
    ['a JPEG without its tables', withParts(untabled, exifOf(3)), 1],
  ])('%s', async (name, bytes, count) => {
    const whole = name.includes('filter') ? withFilter(bytes, 5) : bytes;
    const file = await shown(whole);
    expect([name, file.kind, file.data]).toEqual([name, 'binary', undefined]);
    if (count > 0) expect(programs.length).toBe(count);
    expect(file.output).toMatch(/damaged|more than 40 million/);
  });

  it('of a few bytes that claims millions of pixels costs little', async () => {
    const bytes = claimedJpeg(6_000, 6_000);
    // Its colours are as fine as its light, which takes twice the memory.
    bytes[bytes.indexOf(Buffer.from([0xff, 0xc0])) + 11] = 0x11;
    const file = await shown(bytes);
    expect(file.output).toContain('6000 × 6000 pixels that takes too much memory to read');
    expect(programs.length).toBe(1);
  });

  it('that is damaged anywhere makes no trouble', async () => {
    const form = { width: 1_600, height: 3, colour: 6, bits: 8, isInterlaced: true } as const;
    const png = drawnPng(form, (x, y) => [x & 255, y, 3, 200]);
    const jpegs = [JPEGS.plain, JPEGS.progressive, JPEGS.cmyk].map((jpeg) => withParts(jpeg, exifOf(3)));
    let seed = 7;
    for (const whole of [png, ...jpegs]) {
      for (let i = 0; i < 60; i++) {
        seed = Math.imul(seed, 1_664_525) + 1_013_904_223;
        const bytes = Buffer.from(whole);
        const at = (seed >>> 8) % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (seed & 7));
        const kept = plainPicture(bytes);
        if (kept && kept.width * kept.height > SEEN_PIXELS) continue;
        const parsed = await parse({ kind: 'picture', bytes, until: Number.POSITIVE_INFINITY });
        if (parsed && 'picture' in parsed) expect(plainPicture(parsed.picture.bytes)).toEqual(parsed.picture);
      }
    }
  });
});

/** Gives a PNG of one line whose line names another filter. */
function withFilter(png: Buffer, filter: number): Buffer {
  const start = png.indexOf('IDAT');
  const lines = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  lines[0] = filter;
  const head = png.subarray(PNG.length, PNG.length + 25);
  return Buffer.concat([PNG, head, chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))]);
}
