/** A range of lines. A negative `from` counts from the end: -1 is the last line. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Takes a range of lines out of a text, with their ends as they are. `undefined` if it begins after the text. */
export function linesIn(text: string, { from, to }: LineRange) {
  const lines = text.split(/(?<=\n)/);
  const total = text === '' ? 0 : lines.length;
  const first = from < 0 ? Math.max(1, total + 1 + from) : from;
  const taken = lines.slice(first - 1, to);
  if (total === 0 || taken.length === 0) return undefined;
  return { content: taken.join(''), lines: { first, last: first + taken.length - 1, total } };
}
