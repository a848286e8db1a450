/** A picture without what it says about its maker, place and time. */
export interface Picture {
  readonly mime: 'image/png' | 'image/jpeg';
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The parts of a PNG that its pixels need. All others are texts, times and profiles. */
const PNG_PARTS = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'sRGB', 'gAMA']);

/** Gives a PNG or JPEG without its metadata; `undefined` for bytes that are neither, or not whole. */
export function plainPicture(bytes: Buffer): Picture | undefined {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return plainPng(bytes);
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? plainJpeg(bytes) : undefined;
}

/** Tells whether bytes begin as a picture does that this module reads. */
export function isPicture(bytes: Buffer): boolean {
  return (
    bytes.subarray(0, PNG.length).equals(PNG) || (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff)
  );
}

function plainPng(bytes: Buffer): Picture | undefined {
  const kept: Buffer[] = [PNG];
  let size: { width: number; height: number } | undefined;
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const kind = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length) return undefined;
    if (!size) {
      if (kind !== 'IHDR' || end !== at + 25) return undefined;
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (PNG_PARTS.has(kind)) kept.push(bytes.subarray(at, end));
    // What follows the end is no part of the picture.
    if (kind === 'IEND') return { mime: 'image/png', bytes: Buffer.concat(kept), ...size };
    at = end;
  }
  return undefined;
}

/** The parts of a JPEG that hold metadata: APP1 to APP15 but for Adobe's APP14, which colours need, and comments. */
function isMetadata(marker: number): boolean {
  return (marker >= 0xe1 && marker <= 0xef && marker !== 0xee) || marker === 0xfe;
}

/** The parts that tell the size: all frames but for tables of codes. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function plainJpeg(bytes: Buffer): Picture | undefined {
  const kept: Buffer[] = [bytes.subarray(0, 2)];
  let size: { width: number; height: number } | undefined;
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return ended(kept, size);
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length || end < at + 4) return undefined;
    if (isFrame(marker) && at + 9 <= end)
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    const scanEnd = marker === 0xda ? endOfScan(bytes, end) : end;
    if (!isMetadata(marker)) kept.push(bytes.subarray(at, scanEnd));
    at = scanEnd;
  }
  // Two bytes are left for the end of the picture.
  return bytes[at] === 0xff && bytes[at + 1] === 0xd9 ? ended(kept, size) : undefined;
}

function ended(
  kept: readonly Buffer[],
  size: { width: number; height: number } | undefined,
): Picture | undefined {
  if (!size) return undefined;
  return { mime: 'image/jpeg', bytes: Buffer.concat([...kept, Buffer.from([0xff, 0xd9])]), ...size };
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
