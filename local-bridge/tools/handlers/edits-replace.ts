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
  const old = Buffer.from(withLineEndsOf(bytes, oldString));
  const first = bytes.indexOf(old);
  // A lone surrogate has no bytes of its own. It must not match the character that replaces it.
  if (first < 0 || !oldString.isWellFormed()) return undefined;
  let found = 0;
  for (let at = first; at >= 0; at = bytes.indexOf(old, at + old.length)) found++;
  const before = bytes.subarray(0, first);
  return {
    bytes: Buffer.concat([
      before,
      Buffer.from(withLineEndsOf(bytes, newString)),
      bytes.subarray(first + old.length),
    ]),
    found,
    line: 1 + count(before, LINE_FEED),
  };
}

/** Replaces every occurrence of a string, in the same way. */
export function replaceAll(bytes: Buffer, oldString: string, newString: string): Replaced | undefined {
  const first = replaceFirst(bytes, oldString, newString);
  if (!first) return undefined;
  const old = Buffer.from(withLineEndsOf(bytes, oldString));
  const fresh = Buffer.from(withLineEndsOf(bytes, newString));
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, from)) {
    pieces.push(bytes.subarray(from, at), fresh);
    from = at + old.length;
  }
  return { ...first, bytes: Buffer.concat([...pieces, bytes.subarray(from)]) };
}

/** Gives a text with CRLF line ends if every line of the file ends so. */
export function withLineEndsOf(bytes: Buffer, text: string): string {
  return hasOnlyCrlf(bytes) ? withCrlf(text) : text;
}

function hasOnlyCrlf(bytes: Buffer): boolean {
  let any = false;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at - 1] !== RETURN) return false;
    any = true;
  }
  return any;
}

function withCrlf(text: string): string {
  return text.replace(/(?<!\r)\n/g, '\r\n');
}

function count(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found++;
  return found;
}
