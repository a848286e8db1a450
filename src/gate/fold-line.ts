/** Goes before the rest of a line that is wider than the terminal. */
const REST = '    … ';
/** Narrower than this, folding would only take text apart. */
const MIN_COLUMNS = 20;

/**
 * Cuts a line where the terminal would go on in its first column, and marks the rest: what a stranger wrote could
 * else be long enough to begin a line of its own, and pass for one of ours.
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

/** The widest that any terminal draws it. */
function widthOf(char: string): number {
  if (char === '\t') return 8;
  return char >= ' ' && char <= '~' ? 1 : 2;
}
