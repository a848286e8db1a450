import { MAX_FILE_BYTES } from '../../../contracts/edits.ts';
import { eachPlace } from './edits-search.ts';
import { countByte } from './files-text.ts';

const LINE_FEED = 10;
const RETURN = 13;

export interface Replaced {
  readonly bytes: Buffer;
  readonly found: number;
  /** The line of the first occurrence, the one that is replaced; counted from 1. */
  readonly line: number;
}

/**
 * Replaces the first occurrence of a string, byte by byte, so that everything else stays exactly as it is (a byte
 * order mark, bytes that are not UTF-8, a missing last line end). If every line of the file ends in CRLF, a line feed
 * in the strings means CRLF.
 */
export function replaceFirst(bytes: Buffer, oldString: string, newString: string): Replaced | undefined {
  const places = placesOf(bytes, oldString);
  if (!places) return undefined;
  const { first, found, old } = places;
  const fresh = Buffer.from(withLineEndsOf(bytes, newString));
  return {
    bytes: Buffer.concat([bytes.subarray(0, first), fresh, bytes.subarray(first + old.length)]),
    found,
    line: 1 + countByte(bytes, LINE_FEED, first),
  };
}

/** Replaces every occurrence of a string, in the same way. A result that no file may have is never made. */
export function replaceAll(
  bytes: Buffer,
  oldString: string,
  newString: string,
): Replaced | 'too large' | undefined {
  const places = placesOf(bytes, oldString);
  if (!places) return undefined;
  const { first, found, old } = places;
  const fresh = Buffer.from(withLineEndsOf(bytes, newString));
  const size = bytes.length + found * (fresh.length - old.length);
  if (size > MAX_FILE_BYTES) return 'too large';
  const result = Buffer.alloc(size);
  let to = 0;
  let from = 0;
  // There may be millions of pieces of a byte each, so make no object of each.
  const copy = (source: Uint8Array, start: number, end: number) => {
    for (let at = start; at < end; at++) result[to++] = source[at] ?? 0;
  };
  eachPlace(bytes, old, (at) => {
    copy(bytes, from, at);
    copy(fresh, 0, fresh.length);
    from = at + old.length;
  });
  copy(bytes, from, bytes.length);
  return { bytes: result, found, line: 1 + countByte(bytes, LINE_FEED, first) };
}

/** Finds a string; `undefined` if it is not there. */
function placesOf(bytes: Buffer, oldString: string) {
  // A lone surrogate has no bytes of its own. It must not match the character that replaces it.
  if (!oldString.isWellFormed()) return undefined;
  const old = Buffer.from(withLineEndsOf(bytes, oldString));
  let first = -1;
  let found = 0;
  eachPlace(bytes, old, (at) => {
    if (found === 0) first = at;
    found++;
  });
  return found > 0 ? { first, found, old } : undefined;
}

/** Gives a text with CRLF line ends if every line of the file ends so. */
export function withLineEndsOf(bytes: Buffer, text: string): string {
  return hasOnlyCrlf(bytes) ? withCrlf(text) : text;
}

function hasOnlyCrlf(bytes: Buffer): boolean {
  let any = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LINE_FEED) continue;
    if (bytes[at - 1] !== RETURN) return false;
    any = true;
  }
  return any;
}

function withCrlf(text: string): string {
  return text.replace(/(?<!\r)\n/g, '\r\n');
}
