/** One matching line, as ripgrep prints it with `--null -n -b -H`. */
export interface PrintedLine {
  /** The path from the searched folder, without `./`. */
  readonly path: string;
  readonly line: number;
  /** The offset of the line in the file's text, in bytes. */
  readonly offset: number;
  /** The line without its end, cut if it is long. */
  readonly text: Buffer;
}

interface GrepOutput {
  /** Takes the next piece of output. Gives the lines that are complete now. */
  take(chunk: Buffer): PrintedLine[];
  /** Gives the text after the last line: the statistics. */
  rest(): string;
}

/** Ripgrep's note that a file is binary. It follows one of the file's lines. */
const BINARY_NOTE =
  /^(?<path>[\s\S]*?): WARNING: stopped searching binary file after match \(found "\\0" byte around offset \d+\)\r?\n/;
/** The longest record: longer than any path with a cut line. */
const MAX_RECORD = 64 * 1024;
const NUL = 0;
const COLON = 0x3a;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Reads ripgrep's records: a path up to a NUL (a name may hold anything else), then `line:offset:text`. */
export function grepOutput(onBinary: (path: string) => void): GrepOutput {
  let pending: Buffer = Buffer.alloc(0);
  return {
    take: (chunk) => {
      let data = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const lines: PrintedLine[] = [];
      for (;;) {
        const nul = data.indexOf(NUL);
        const end = nul === -1 ? -1 : data.indexOf(NEWLINE, nul);
        if (end === -1) break;
        const lineEnd = data.indexOf(COLON, nul);
        const offsetEnd = data.indexOf(COLON, lineEnd + 1);
        const path = withoutNotes(data.toString('utf8', 0, nul), onBinary);
        lines.push({
          path: path.replace(/^\.\//, ''),
          line: Number(data.toString('latin1', nul + 1, lineEnd)),
          offset: Number(data.toString('latin1', lineEnd + 1, offsetEnd)),
          text: data.subarray(offsetEnd + 1, end),
        });
        data = data.subarray(end + 1);
      }
      if (data.length > MAX_RECORD) throw new Error('ripgrep printed a record without an end');
      pending = data;
      return lines;
    },
    rest: () => withoutNotes(pending.toString('utf8'), onBinary),
  };
}

function withoutNotes(text: string, onBinary: (path: string) => void): string {
  let rest = text;
  for (let note = BINARY_NOTE.exec(rest); note; note = BINARY_NOTE.exec(rest)) {
    onBinary(note.groups?.path?.replace(/^\.[/\\]/, '') ?? '');
    rest = rest.slice(note[0].length);
  }
  return rest;
}

/** The shown text of a line: all of it or its beginning. */
export interface ShownLine {
  readonly text: string;
  readonly cut: boolean;
}

const CUT = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;

/** Compares a printed line with the file. Gives `undefined` if the file differs by now. */
export function confirmed({ text }: PrintedLine, inFile: Buffer | undefined): ShownLine | undefined {
  if (inFile === undefined || text.includes(NUL)) return undefined;
  // With its CRLF option, ripgrep ends lines in CRLF even where the file does not.
  const said = text.at(-1) === RETURN ? text.subarray(0, -1) : text;
  if (startsWith(inFile, said) && isLineEnd(inFile[said.length])) {
    return { text: said.toString('utf8'), cut: false };
  }
  const note = CUT.exec(said.toString('latin1'));
  const start = note ? said.subarray(0, note.index) : undefined;
  return start && startsWith(inFile, start) ? { text: start.toString('utf8'), cut: true } : undefined;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === undefined || byte === NEWLINE || byte === RETURN;
}
