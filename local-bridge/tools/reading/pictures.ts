import { jpegIn } from './jpeg.ts';
import { isPng, pngIn } from './png.ts';

/** A picture without what it says about its maker, place and time. */
export interface Picture {
  readonly mime: 'image/png' | 'image/jpeg';
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Gives a PNG or JPEG without its metadata; `undefined` for bytes that are neither, or not whole. */
export function plainPicture(bytes: Buffer): Picture | undefined {
  const isKnown = isPng(bytes);
  const found = isKnown ? pngIn(bytes) : isJpeg(bytes) ? jpegIn(bytes) : undefined;
  // A viewer could make nothing of a picture without a point.
  if (!found || found.width === 0 || found.height === 0) return undefined;
  const { width, height, kept } = found;
  return { mime: isKnown ? 'image/png' : 'image/jpeg', bytes: Buffer.concat(kept), width, height };
}

/** Tells whether bytes begin as a picture does that this module reads. */
export function isPicture(bytes: Buffer): boolean {
  return isPng(bytes) || isJpeg(bytes);
}

function isJpeg(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}
