/** Marks the rest of a line that is wider than the terminal. */
const REST = '    … ';
/** In a narrower terminal, folding would only tear text apart. */
const MIN_COLUMNS = 20;

/**
 * Cuts a line where the terminal would continue in its first column, and marks the rest. Otherwise a
 * stranger's long text could begin a line of its own and look like one of ours.
 */
export function foldLine(line: string, columns: number | undefined): string[] {
  if (columns === undefined) return [line];
  const width = Math.max(MIN_COLUMNS, columns);
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const char of line) {
    const wide = widthOf(char);
    if (used + wide > width) {
      pieces.push(piece);
      piece = REST;
      used = REST.length;
    }
    piece += char;
    used += wide;
  }
  return [...pieces, piece];
}

/** Gives the widest width that any terminal uses for a character. */
function widthOf(char: string): number {
  if (char === '\t') return 8;
  return char >= ' ' && char <= '~' ? 1 : 2;
}
