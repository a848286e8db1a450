import { MAX_PICTURE_BYTES, type Picture, plainPicture, seenSides } from '../pictures.ts';
import { openCanvas, type Pixels, upright } from './canvas.ts';
import { readJpeg, TOO_MUCH_MEMORY, writtenJpeg } from './jpeg-code.ts';
import { readPng } from './png-lines.ts';
import { writtenPng } from './png-written.ts';

/** How a JPEG is written, the best first. */
const QUALITIES = [85, 70, 50, 30] as const;

/** Makes a picture upright, and no larger than models look at. What is no picture is nothing, and what is damaged a problem. */
export async function smallerOrProblem(bytes: Buffer): Promise<Smaller> {
  const picture = plainPicture(bytes);
  if (!picture) return undefined;
  try {
    return {
      kind: 'picture',
      picture: writtenSmall(picture.mime, upright(await drawn(picture), picture.turn ?? 1)),
    };
  } catch (error) {
    const isTooMuch = error instanceof Error && error.message.startsWith(TOO_MUCH_MEMORY);
    return { problem: isTooMuch ? 'takes too much memory to read' : 'is damaged and cannot be read' };
  }
}

type Smaller =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | { readonly problem: string }
  | undefined;

/** Writes a picture so that it can be shown: screens and drawings as they are, unless that takes too many bytes. */
function writtenSmall(mime: Picture['mime'], pixels: Pixels): Picture {
  const { width, height } = pixels;
  const png = mime === 'image/png' ? writtenPng(pixels) : undefined;
  if (png && png.length <= MAX_PICTURE_BYTES) return { mime: 'image/png', bytes: png, width, height };
  for (const quality of QUALITIES) {
    const jpeg = writtenJpeg(pixels, quality);
    if (jpeg.length <= MAX_PICTURE_BYTES) return { mime: 'image/jpeg', bytes: jpeg, width, height };
  }
  throw new Error('Nothing that this picture is written as can be shown.');
}

async function drawn(picture: Picture): Promise<Pixels> {
  const canvas = openCanvas(picture, seenSides(picture));
  if (picture.mime === 'image/png') await readPng(picture.bytes, canvas.add);
  else {
    const { width, height, data } = readJpeg(picture.bytes);
    if (width !== picture.width || height !== picture.height) throw new Error('The picture has two sizes.');
    for (let y = 0; y < height; y++)
      canvas.add({ y, x: 0, step: 1, count: width, rgba: data.subarray(y * width * 4, (y + 1) * width * 4) });
  }
  return canvas.pixels();
}
