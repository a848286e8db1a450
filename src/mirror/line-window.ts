/** Some lines of a text, as many as one page carries. */
export interface LineWindow {
  readonly lines: readonly string[];
  /** The number of the first line, counted from 1. */
  readonly first: number;
  readonly total: number;
  /** The first line of the next window; null at the end. */
  readonly next: number | null;
  /** The first line of the previous window; null at the start. */
  readonly previous: number | null;
}

export const LINES_A_PAGE = 300;
/** The most characters in a window, so that a page of long lines stays small. */
export const CHARS_A_PAGE = 20_000;
export const MAX_LINE_CHARS = 1_000;

/** Gives the lines from one on. Cuts a very long line and notes its length. */
export function lineWindow(text: string, from: number): LineWindow {
  const all = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const first = Math.min(Math.max(1, from), Math.max(1, all.length));
  const lines: string[] = [];
  let chars = 0;
  for (const line of all.slice(first - 1, first - 1 + LINES_A_PAGE)) {
    const shown = cut(line);
    chars += shown.length;
    if (lines.length > 0 && chars > CHARS_A_PAGE) break;
    lines.push(shown);
  }
  const after = first + lines.length;
  return {
    lines,
    first,
    total: all.length,
    next: after <= all.length ? after : null,
    previous: first > 1 ? Math.max(1, first - LINES_A_PAGE) : null,
  };
}

function cut(line: string): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  return `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}… [${line.length} characters]`;
}
