import { readAside, type Time } from './aside.ts';
import { turnPart } from './exif.ts';
import {
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  MAX_PIXELS,
  MAX_SIDE,
  type Picture,
  plainPicture,
  seenSides,
} from './pictures.ts';

/** The time to make a picture smaller. */
const PICTURE_MS = 10_000;

type Shown =
  | { readonly kind: 'picture'; readonly picture: Picture; readonly inFile?: Sides }
  | { readonly kind: 'binary'; readonly why: string };
type Sides = Pick<Picture, 'width' | 'height'>;

/**
 * Gives a picture as it is shown: without metadata, upright and no larger than models look at, or as it is in the file.
 * Undefined bytes are of a file that is too large.
 */
export async function shownPicture(bytes: Buffer | undefined, time: Time, isFull: boolean): Promise<Shown> {
  const picture = bytes && plainPicture(bytes);
  if (!bytes || !picture) return none('is a picture that is damaged or larger than 10 MB');
  const { width, height } = picture;
  if (isFull) return fullPicture(picture);
  const seen = seenSides(picture);
  const isSmall = seen.width === width && seen.height === height && picture.bytes.length <= MAX_PICTURE_BYTES;
  if (isSmall && picture.turn === undefined) return { kind: 'picture', picture };
  const sides = `is a picture of ${width} × ${height} pixels`;
  if (width * height > MAX_PIXELS) return none(`${sides}: more than ${MAX_PIXELS / 1e6} million`);
  if (Math.max(width, height) > MAX_SIDE) return none(`${sides}: more than ${MAX_SIDE} a side`);
  const made = await readAside(time, async () => ({
    kind: 'picture',
    bytes,
    until: Math.min(time.until, Date.now() + PICTURE_MS),
  }));
  time.signal.throwIfAborted();
  if (!made || !('picture' in made))
    return none(`${sides} that ${made && 'problem' in made ? made.problem : 'cannot be made smaller'}`);
  return { kind: 'picture', picture: made.picture, inFile: { width, height } };
}

/** Gives a picture as it is in the file. How it lies is the one thing that is told with it. */
function fullPicture(picture: Picture): Shown {
  const { bytes, width, height, turn } = picture;
  const whole =
    turn === undefined ? bytes : Buffer.concat([bytes.subarray(0, 2), turnPart(turn), bytes.subarray(2)]);
  if (whole.length <= MAX_PICTURE_BYTES && Math.max(width, height) <= MAX_PICTURE_SIDE)
    return { kind: 'picture', picture: { ...picture, bytes: whole } };
  return none(
    `is a picture of ${width} × ${height} pixels and ${bytes.length} bytes: larger than ${MAX_PICTURE_SIDE} pixels or ${MAX_PICTURE_BYTES} bytes, so leave out \`full_size\``,
  );
}

function none(why: string): Shown {
  return { kind: 'binary', why };
}
