import { createRequire } from 'node:module';
import type { Pixels } from './canvas.ts';

/** The part of `jpeg-js` that is used here. It is plain JavaScript, so a hostile picture can at most make it fail. */
interface JpegCode {
  decode(bytes: Buffer, limits: object): { width: number; height: number; data: Buffer };
  encode(pixels: Pixels, quality: number): { data: Buffer };
}

/** The most memory for what a JPEG is made of. The program takes up to 900 MB in all. */
const MAX_MB = 400;
/** How the error begins that says so. */
export const TOO_MUCH_MEMORY = 'maxMemoryUsageInMB';

// Only the program that reads one picture loads it.
const code: JpegCode = createRequire(import.meta.url)('jpeg-js');

/** Reads the pixels of a JPEG. Throws if it is damaged, has colours that nobody names, or needs too much memory. */
export function readJpeg(bytes: Buffer): Pixels {
  return code.decode(bytes, { maxMemoryUsageInMB: MAX_MB, tolerantDecoding: true });
}

/** Writes pixels as a JPEG. What is not solid is shown on white. */
export function writtenJpeg({ width, height, data }: Pixels, quality: number): Buffer {
  const solid = Buffer.from(data);
  for (let at = 0; at < solid.length; at += 4) {
    const share = (solid[at + 3] ?? 0) / 255;
    for (let i = 0; i < 3; i++) solid[at + i] = Math.round((solid[at + i] ?? 0) * share + 255 * (1 - share));
  }
  return code.encode({ width, height, data: solid }, quality).data;
}
