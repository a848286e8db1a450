import { countedIn, countsTooFar, headMisleads } from './pdf-counts.ts';
import { withoutOldFilters } from './pdf-filters.ts';
import { PageWork, workOf } from './pdf-work.ts';

const latin1 = new TextDecoder('latin1');
/** The limit for the unpacked parts of a PDF. A reader holds them in memory one after the other. */
export const MAX_UNPACKED_BYTES = 12_000_000;
/** The limit for its pictures. No reader of text unpacks them, but anything can call itself a picture. */
const MAX_PICTURE_BYTES = 256_000_000;
/** More parts than any document has. Each takes time to try, however small it is. */
const MAX_PARTS = 10_000;
/** The characters before a part that may describe it. */
const HEAD_CHARS = 4_000;
const PIECE = 64 * 1024;

const OPENING = /\bstream(?:\r\n|\n|\r)/g;
/**
 * The ways in which a part says that it is packed: a name, several names, or a reference to elsewhere in the
 * file.
 */
const FILTERS = /\/(?:Filter|F)\s?(\d+ \d+ R|\[[^\]]{0,300})/g;
const PACKER = /\/(?:FlateDecode|LZWDecode|RunLengthDecode|Fl|LZW|RL)\b/g;

/** Tells whether a small file unpacks to more than can be held, or makes its reader count too long. */
export async function unpacksTooLarge(bytes: Uint8Array): Promise<boolean> {
  const text = latin1.decode(bytes);
  let counted = countedIn(text);
  const drawn = new PageWork();
  drawn.look(text);
  let isTooMuch = false;
  let left = MAX_UNPACKED_BYTES;
  let leftForPictures = MAX_PICTURE_BYTES;
  let parts = 0;
  // Once no end mark is left in the file, do not search the rest again for every part.
  let isEndless = false;
  for (const match of text.matchAll(OPENING)) {
    if (++parts > MAX_PARTS) return true;
    const before = text.slice(Math.max(0, match.index - HEAD_CHARS), match.index);
    const head = before.slice(Math.max(0, before.lastIndexOf(' obj'))).replace(/\s+/g, ' ');
    const number = numberOf(before);
    if (isUntold(head) || headMisleads(head)) return true;
    const start = match.index + match[0].length;
    const closing: number = isEndless ? -1 : text.indexOf('endstream', start);
    isEndless = closing < 0;
    const packed = bytes.subarray(start, isEndless ? bytes.byteLength : closing);
    if (/\/Subtype\s*\/Image\b/.test(head)) leftForPictures -= await unpacked(packed, leftForPictures);
    else {
      const look = (part: string) => {
        counted += countedIn(part);
        const work = workOf(part);
        if (work === 'too much') isTooMuch = true;
        else drawn.add(number, work);
        drawn.look(part);
      };
      const part = withoutOldFilters(head, packed, left);
      if (part !== packed) left -= part.byteLength;
      if (isZlib(part)) left -= await unpacked(part, left, look);
      else look(latin1.decode(part));
    }
    if (isTooMuch || left < 0 || leftForPictures < 0 || countsTooFar(counted)) return true;
  }
  return countsTooFar(counted) || drawn.isTooMuch();
}

/** Reads the number of a part from the text before it: `4 0 obj`. */
function numberOf(before: string): number {
  const words = before.slice(0, before.lastIndexOf('obj')).trimEnd().split(/\s+/);
  return Number(words.at(-2) || Number.NaN);
}

/**
 * Recognises parts whose size nobody knows before reading them: packed twice, or in a way that is named elsewhere.
 */
function isUntold(head: string): boolean {
  return [...head.matchAll(FILTERS)].some(([, how = '']) => {
    return !how.startsWith('[') || (how.match(PACKER)?.length ?? 0) > 1;
  });
}

/**
 * Counts the bytes that go in or come out of a packed part, whichever are more, up to just over a limit.
 * Gives 0 if the part is packed in another way.
 */
async function unpacked(packed: Uint8Array, limit: number, look?: (text: string) => void): Promise<number> {
  if (!isZlib(packed)) return 0;
  let taken = 0;
  // Feed it in pieces, so that a part that breaks off early costs only what was read of it.
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      if (taken >= packed.byteLength) return controller.close();
      controller.enqueue(packed.slice(taken, taken + PIECE));
      taken = Math.min(packed.byteLength, taken + PIECE);
    },
  });
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
  let count = 0;
  const text: string[] = [];
  try {
    while (Math.max(count, taken) <= limit) {
      const { done, value } = await reader.read();
      if (done) break;
      count += value.byteLength;
      if (look) text.push(latin1.decode(value));
    }
    await reader.cancel();
  } catch {
    // Packed in another way, or damaged from here on. A reader gets only what came out so far.
  }
  look?.(text.join(''));
  return Math.max(count, taken);
}

/** Recognises zlib data: its first two bytes name the format and check each other. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}
