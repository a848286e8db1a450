const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const BEGINS = /^(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s|$)/;

/**
 * Splits existing Markdown into entries: a list item with all that belongs to it, a heading, a paragraph. A code
 * block stays with the text above it, because a rule and its example are one thought.
 */
export function markdownEntries(text: string): string[] {
  const entries: string[][] = [];
  let blanks = 0;
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const entry = entries.at(-1);
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      entry?.push(line);
      if (mark !== undefined && line.trim() === mark && mark.startsWith(fence)) fence = undefined;
      continue;
    }
    if (line.trim() === '') {
      blanks += 1;
      continue;
    }
    const goesOn = mark !== undefined || /^\s/.test(line) || (blanks === 0 && !BEGINS.test(line));
    if (entry && goesOn) entry.push(...Array<string>(blanks).fill(''), line);
    else entries.push([line]);
    blanks = 0;
    fence = mark;
  }
  return entries.map((lines) => lines.join('\n'));
}
