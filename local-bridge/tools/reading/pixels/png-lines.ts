import { createInflate } from 'node:zlib';
import { pngIn } from '../png.ts';
import type { Line, Sides } from './canvas.ts';

/** The passes in which an interlaced PNG comes: first column and line, and steps. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const WHOLE = [[0, 0, 1, 1]] as const;
/** The values of a pixel in each way of colouring. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Form extends Sides {
  readonly bits: number;
  readonly colour: number;
  readonly isInterlaced: boolean;
  readonly palette: Buffer;
  readonly clear: Buffer | undefined;
}

/**
 * Reads the pixels of a PNG line by line, so that only two lines of it are in memory, however large it says that it is.
 * Throws if it is damaged.
 */
export async function readPng(bytes: Buffer, take: (line: Line) => void): Promise<void> {
  const parts = pngIn(bytes)?.kept.slice(1) ?? [];
  const dataOf = (kind: string) =>
    parts.filter((part) => part.toString('latin1', 4, 8) === kind).map((part) => part.subarray(8, -4));
  const form = formOf(dataOf('IHDR')[0], dataOf('PLTE')[0], dataOf('tRNS')[0]);
  const packed = Buffer.concat(dataOf('IDAT'));
  const reader = lineReader(form, take);
  const inflate = createInflate();
  inflate.end(packed);
  for await (const chunk of inflate) if (reader(chunk)) return;
  throw new Error('The picture ends too early.');
}

function formOf(head: Buffer | undefined, palette?: Buffer, clear?: Buffer): Form {
  if (!head) throw new Error('The picture has no head.');
  const [bits = 0, colour = 0, , , order] = head.subarray(8);
  const sides = { width: head.readUInt32BE(0), height: head.readUInt32BE(4) };
  return { ...sides, bits, colour, palette: palette ?? Buffer.alloc(0), clear, isInterlaced: order === 1 };
}

/** Makes a function that takes unpacked bytes, and says when all lines came. */
function lineReader(form: Form, take: (line: Line) => void): (chunk: Buffer) => boolean {
  const bitsAPixel = form.bits * (CHANNELS[form.colour] ?? 0);
  const bytesAPixel = Math.max(1, bitsAPixel >> 3);
  const lines = linesOf(form);
  let next = lines.next();
  let now = Buffer.alloc(0);
  let before = Buffer.alloc(0);
  let filled = 0;
  const begin = () => {
    if (next.done) return;
    const length = 1 + ((next.value.count * bitsAPixel + 7) >> 3);
    before = next.value.isFirst ? Buffer.alloc(length) : now;
    now = Buffer.alloc(length);
    filled = 0;
  };
  begin();
  return (chunk) => {
    let at = 0;
    while (!next.done && at < chunk.length) {
      const count = Math.min(chunk.length - at, now.length - filled);
      chunk.copy(now, filled, at, at + count);
      filled += count;
      at += count;
      if (filled < now.length) break;
      unfilter(now, before, bytesAPixel);
      take({ ...next.value, rgba: rgbaOf(now.subarray(1), next.value.count, form) });
      next = lines.next();
      begin();
    }
    return next.done === true;
  };
}

function* linesOf({ width, height, isInterlaced }: Form) {
  for (const [x, first, step, down] of isInterlaced ? PASSES : WHOLE) {
    const count = Math.ceil((width - x) / step);
    if (count <= 0) continue;
    for (let y = first; y < height; y += down) yield { y, x, step, count, isFirst: y === first };
  }
}

/** Undoes the filter that the first byte of a line names. */
function unfilter(line: Buffer, above: Buffer, back: number): void {
  const filter = line[0] ?? 0;
  if (filter > 4) throw new Error('The picture has an unknown filter.');
  if (filter === 0) return;
  for (let i = 1; i < line.length; i++) {
    const left = i > back ? (line[i - back] ?? 0) : 0;
    const up = above[i] ?? 0;
    const corner = i > back ? (above[i - back] ?? 0) : 0;
    line[i] = (line[i] ?? 0) + guess(filter, left, up, corner);
  }
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const near = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(near - left), Math.abs(near - up), Math.abs(near - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function rgbaOf(line: Buffer, count: number, { bits, colour, palette, clear }: Form): Uint8Array {
  const rgba = new Uint8Array(count * 4);
  const channels = CHANNELS[colour] ?? 0;
  const most = 2 ** Math.min(bits, 8) - 1;
  const whole = (i: number): number => {
    if (bits === 16) return line.readUInt16BE(i * 2);
    if (bits === 8) return line[i] ?? 0;
    const bit = i * bits;
    return ((line[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & most;
  };
  // Of 16 bits the upper eight are shown.
  const shade = (value: number) => (bits === 16 ? value >> 8 : (value * 255) / most);
  for (let i = 0; i < count; i++) {
    const at = i * 4;
    const first = whole(i * channels);
    if (colour === 3) {
      if (first * 3 + 3 > palette.length) throw new Error('The picture has a colour that it does not list.');
      rgba.set(palette.subarray(first * 3, first * 3 + 3), at);
      rgba[at + 3] = clear?.[first] ?? 255;
      continue;
    }
    const isGrey = colour === 0 || colour === 4;
    const green = isGrey ? first : whole(i * channels + 1);
    const blue = isGrey ? first : whole(i * channels + 2);
    rgba[at] = shade(first);
    rgba[at + 1] = shade(green);
    rgba[at + 2] = shade(blue);
    if (colour >= 4) rgba[at + 3] = shade(whole(i * channels + channels - 1));
    else rgba[at + 3] = clear && isClear(clear, isGrey ? [first] : [first, green, blue]) ? 0 : 255;
  }
  return rgba;
}

/** Tells if a colour is the one that a PNG names as clear. */
function isClear(clear: Buffer, values: readonly number[]): boolean {
  if (clear.length < values.length * 2) return false;
  return values.every((value, i) => clear.readUInt16BE(i * 2) === value);
}
