import { crc32 } from 'node:zlib';
import type { Kept } from './kept.ts';

const MARK = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The most parts of a picture. Each costs time, however small it is. */
const MAX_PARTS = 10_000;

/**
 * The parts of a PNG that its pixels need, and the most bytes of each, so that none can hold a text as well. All others
 * are texts, times, profiles and further pictures.
 */
const PARTS: Readonly<Record<string, number>> = {
  IHDR: 13,
  PLTE: 768,
  IDAT: Number.POSITIVE_INFINITY,
  IEND: 0,
  tRNS: 256,
  sRGB: 1,
  gAMA: 4,
};
/** The bits a channel that each way of colouring allows. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, MARK.length).equals(MARK);
}

/** Takes the pixels of a PNG; `undefined` if it is damaged anywhere, because a viewer would refuse it. */
export function pngIn(bytes: Buffer): Kept | undefined {
  const kept: Buffer[] = [MARK];
  const seen = new Set<string>();
  for (let at = MARK.length, parts = 0; at + 12 <= bytes.length && parts < MAX_PARTS; parts++) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length || bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4)))
      return undefined;
    const kind = bytes.toString('latin1', at + 4, at + 8);
    const most = PARTS[kind];
    if (seen.size === 0 && !(kind === 'IHDR' && isHead(bytes.subarray(at + 8, end - 4)))) return undefined;
    if (most !== undefined) {
      if (length > most || (seen.has(kind) && kind !== 'IDAT')) return undefined;
      seen.add(kind);
      kept.push(bytes.subarray(at, end));
    }
    // What follows the end is no part of the picture.
    if (kind === 'IEND') return seen.has('IDAT') ? { kept, ...sizeOf(bytes) } : undefined;
    at = end;
  }
  return undefined;
}

function isHead(head: Buffer): boolean {
  const [depth = 0, colour = 0, packing, filter, order = 0] = head.subarray(8);
  return (
    head.length === 13 &&
    (DEPTHS[colour]?.includes(depth) ?? false) &&
    packing === 0 &&
    filter === 0 &&
    order <= 1
  );
}

/** Reads the sides, which every PNG has at this place. */
function sizeOf(bytes: Buffer): { width: number; height: number } {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
