import type { ShownLine } from './grep-output.ts';

/** The lines before and after a match, in the order of the file. */
interface Around {
  readonly before: readonly ShownLine[];
  readonly after: readonly ShownLine[];
}

/** Context lines are cut like matching ones. */
const MAX_BYTES = 500;
/** The bytes to read for each line. Lines beyond them are left out. */
const BYTES_A_LINE = 1_000;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Reads up to `count` lines on either side of the line that begins at `offset`, within a bounded part of the file. */
export function linesAround(
  read: (start: number, bytes: number) => Buffer | undefined,
  offset: number,
  count: number,
): Around {
  const window = count * BYTES_A_LINE;
  const start = Math.max(0, offset - window);
  const above = start < offset ? read(start, offset - start) : undefined;
  const before = above ? splitLines(above) : [];
  // The first piece may be the end of a longer line.
  if (start > 0) before.shift();
  const below = read(offset, window + MAX_BYTES * 2);
  const after = below ? splitLines(below).slice(1) : [];
  const isCutOff = below?.length === window + MAX_BYTES * 2 && below.at(-1) !== NEWLINE;
  if (isCutOff) after.pop();
  return { before: before.slice(-count).map(shown), after: after.slice(0, count).map(shown) };
}

/** Splits text into lines without their ends. */
function splitLines(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(NEWLINE, at);
    const stop = end === -1 ? text.length : end;
    lines.push(text.subarray(at, text[stop - 1] === RETURN && stop > at ? stop - 1 : stop));
    at = stop + 1;
  }
  return lines;
}

function shown(line: Buffer): ShownLine {
  const cut = line.length > MAX_BYTES;
  const text = line.subarray(0, MAX_BYTES).toString('utf8');
  return { text: cut ? text.replace(/\ufffd$/, '') : text, cut };
}
