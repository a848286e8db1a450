const LINE_FEED = 10;
const RETURN = 13;

export interface Replaced {
  readonly bytes: Buffer;
  readonly found: number;
  /** The line of the first occurrence, the one that is replaced; counted from 1. */
  readonly line: number;
}

/**
 * Replaces the first occurrence of a string, in bytes, so that everything else stays exactly as it is (a mark at the
 * beginning, bytes that are not UTF-8, a missing last line end). If every line of the file ends in CRLF, a line feed
 * in the strings means CRLF.
 */
export function replaceFirst(bytes: Buffer, oldString: string, newString: string): Replaced | undefined {
  const written = hasOnlyCrlf(bytes) ? withCrlf : (text: string) => text;
  const old = Buffer.from(written(oldString));
  const first = bytes.indexOf(old);
  // A lone surrogate has no bytes of its own. It must not match the character that replaces it.
  if (first < 0 || !oldString.isWellFormed()) return undefined;
  let found = 0;
  for (let at = first; at >= 0; at = bytes.indexOf(old, at + old.length)) found++;
  const before = bytes.subarray(0, first);
  return {
    bytes: Buffer.concat([before, Buffer.from(written(newString)), bytes.subarray(first + old.length)]),
    found,
    line: 1 + count(before, LINE_FEED),
  };
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
