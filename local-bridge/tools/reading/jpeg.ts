import { type Turn, turnIn } from './exif.ts';
import type { Kept } from './kept.ts';

/** The most parts of a picture. Each costs time, however small it is. */
const MAX_PARTS = 10_000;
const [SCAN, END, FIRST_APP, EXIF] = [0xda, 0xd9, 0xe0, 0xe1];
/** The parts that pixels need besides frames and scans: tables, and how often the coder begins anew. */
const TABLES = new Set([0xc4, 0xcc, 0xdb, 0xdd]);
/** How many bytes of JFIF and of Adobe's part tell the shape of a pixel and its colours. After them a small picture may follow. */
const APPS: Readonly<Record<number, { readonly name: string; readonly bytes: number }>> = {
  [FIRST_APP]: { name: 'JFIF\0', bytes: 14 },
  238: { name: 'Adobe', bytes: 12 },
};

/** Takes the pixels of a JPEG; `undefined` if it is not whole. */
export function jpegIn(bytes: Buffer): Kept | undefined {
  const kept: Buffer[] = [bytes.subarray(0, 2)];
  let size: { width: number; height: number } | undefined;
  let hasScan = false;
  let turn: Turn | undefined;
  let at = 2;
  for (let parts = 0; at + 2 <= bytes.length && parts < MAX_PARTS; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // What follows the end is no part of the picture.
    if (marker === END) {
      kept.push(Buffer.from([0xff, END]));
      return size && hasScan ? { kept, ...size, turn } : undefined;
    }
    parts += 1;
    const end = at + 4 <= bytes.length ? at + 2 + bytes.readUInt16BE(at + 2) : 0;
    if (end > bytes.length || end < at + 4) return undefined;
    const part = bytes.subarray(at, end);
    if (isFrame(marker)) {
      // Two frames could tell two sizes, and each viewer may believe another one.
      if (size || part.length !== 10 + 3 * (part[9] ?? 0)) return undefined;
      size = { height: part.readUInt16BE(5), width: part.readUInt16BE(7) };
    }
    if (marker === SCAN) {
      if (!size) return undefined;
      hasScan = true;
      const scanEnd = endOfScan(bytes, end);
      kept.push(bytes.subarray(at, scanEnd));
      at = scanEnd;
      continue;
    }
    const needed = isFrame(marker) || TABLES.has(marker) ? part : appIn(marker, part);
    if (needed) kept.push(needed);
    else if (marker === EXIF) turn ??= turnIn(part);
    at = end;
  }
  return undefined;
}

/** The parts that tell the size: all frames but for tables of codes. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Gives what pixels need of a program's own part. Of JFIF the small picture is left out. */
function appIn(marker: number, part: Buffer): Buffer | undefined {
  const app = APPS[marker];
  if (!app || part.length < 4 + app.bytes) return undefined;
  if (part.toString('latin1', 4, 4 + app.name.length) !== app.name) return undefined;
  const plain = Buffer.from(part.subarray(0, 4 + app.bytes));
  plain.writeUInt16BE(app.bytes + 2, 2);
  if (marker === FIRST_APP) plain.fill(0, 4 + app.bytes - 2);
  return plain;
}

/** Finds the next part after the pixels, in which only a zero or a restart follows an `ff`. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7) && next !== 0xff) return at;
  }
  return bytes.length;
}
