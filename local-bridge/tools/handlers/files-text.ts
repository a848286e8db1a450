/** The number of bytes of a binary file to show. */
export const HEX_BYTES = 1024;
/** The number of bytes to search for a NUL. Git tells binary from text in the same way. */
const LOOKED_AT = 8_000;
const LINE_FEED = 10;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Recognises bytes that are shown as hex and never edited as text. UTF-16 counts as binary, because nearly every other byte
 * of it is zero.
 */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, LOOKED_AT).includes(0);
}

/** Counts lines. Text after the last line end counts as one more. */
export function countLines(bytes: Buffer): number {
  const ends = countByte(bytes, LINE_FEED);
  return bytes.length === 0 || bytes.at(-1) === LINE_FEED ? ends : ends + 1;
}

/** Counts a byte up to a place. To ask the system for each one takes a hundred times as long where there are millions. */
export function countByte(bytes: Uint8Array, byte: number, end = bytes.length): number {
  let found = 0;
  for (let at = 0; at < end; at++) if (bytes[at] === byte) found++;
  return found;
}

/** Gives the bytes of lines `first` to `last`, both included and counted from 1, with their line ends. */
export function lineRange(bytes: Buffer, first: number, last: number): Buffer {
  const start = startOfLine(bytes, 0, first - 1);
  return bytes.subarray(start, startOfLine(bytes, start, last - first + 1));
}

/** Finds the place that is `lines` lines further on, or the end of the file if there are fewer. */
function startOfLine(bytes: Buffer, from: number, lines: number): number {
  let left = lines;
  let at = from;
  while (left > 0 && at < bytes.length) if (bytes[at++] === LINE_FEED) left -= 1;
  return at;
}

/** Drops a character that was cut in two at the end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** Decodes bytes as text, without a byte order mark, and tells whether they were valid UTF-8. */
export function decodedText(bytes: Buffer): { readonly text: string; readonly valid: boolean } {
  const marked = bytes.subarray(0, BOM.length).equals(BOM);
  const text = bytes.toString('utf8', marked ? BOM.length : 0);
  // Only text with a replacement character can be invalid. This test is cheaper than checking every byte.
  return {
    text,
    valid: !text.includes('\ufffd') || Buffer.from(text).equals(bytes.subarray(marked ? BOM.length : 0)),
  };
}

/** Shows sixteen bytes a line: their place, their values, and their ASCII characters. */
export function hexView(bytes: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const hex = [...row].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = row.toString('latin1').replace(/[^ -~]/g, '.');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  ${ascii}`);
  }
  return lines.join('\n');
}
