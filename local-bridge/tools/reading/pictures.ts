import type { Turn } from './exif.ts';
import { jpegIn } from './jpeg.ts';
import { isPng, pngIn } from './png.ts';

/** A picture without what it says about its maker, place and time. */
export interface Picture {
  readonly mime: 'image/png' | 'image/jpeg';
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  /** How it has to be turned to be upright, where that is not how it lies. */
  readonly turn?: Turn;
}

/** The largest picture to show, without its metadata. Clients refuse answers much larger. */
export const MAX_PICTURE_BYTES = 700_000;
/** Models take no picture with a longer side. */
export const MAX_PICTURE_SIDE = 8_000;

/** The longest side and the most pixels that models look at. They make larger pictures smaller themselves. */
export const SEEN_SIDE = 1_568;
export const SEEN_PIXELS = 1_150_000;
/** The most pixels of a picture that is made smaller. A file of a few bytes can claim any number. */
export const MAX_PIXELS = 40_000_000;
/** The longest side of one that is made smaller: a line of it, and tables as long as each side, are in memory. No JPEG is longer. */
export const MAX_SIDE = 65_535;

/** Gives the sides of a picture as models look at it, which are its own if it is small. */
export function seenSides({ width, height }: Pick<Picture, 'width' | 'height'>) {
  const share = Math.min(1, SEEN_SIDE / Math.max(width, height), Math.sqrt(SEEN_PIXELS / (width * height)));
  const shown = (side: number) => Math.max(1, Math.floor(side * share));
  return share === 1 ? { width, height } : { width: shown(width), height: shown(height) };
}

/** Gives a PNG or JPEG without its metadata; `undefined` for bytes that are neither, or not whole. */
export function plainPicture(bytes: Buffer): Picture | undefined {
  const isKnown = isPng(bytes);
  const found = isKnown ? pngIn(bytes) : isJpeg(bytes) ? jpegIn(bytes) : undefined;
  // A viewer could make nothing of a picture without a point.
  if (!found || found.width === 0 || found.height === 0) return undefined;
  const { width, height, kept, turn = 1 } = found;
  const mime = isKnown ? 'image/png' : 'image/jpeg';
  return { mime, bytes: Buffer.concat(kept), width, height, ...(turn === 1 ? {} : { turn }) };
}

/** Tells whether bytes begin as a picture does that this module reads. */
export function isPicture(bytes: Buffer): boolean {
  return isPng(bytes) || isJpeg(bytes);
}

function isJpeg(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}
