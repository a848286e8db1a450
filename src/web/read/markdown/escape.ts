const isLetterOrDigit = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);
const isBlank = (character: string | undefined) => character === undefined || /\s/.test(character);

const ENTITY = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;
/** Most texts have no such character, and looking at each one costs time. */
const SPECIAL = /[\\`*_[\]<&~]/;
const EACH_SPECIAL = /[\\`*_[\]<&~]/g;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** Escapes characters that Markdown would take for markup, and no others: each escape costs a reader a token. */
export function escapeText(text: string, inLink: boolean): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(EACH_SPECIAL, (mark, at: number) => {
    const before = text[at - 1];
    const after = text[at + 1];
    const isLast = after === undefined;
    switch (mark) {
      case '\\':
        return isLast || PUNCTUATION.test(after) ? '\\\\' : mark;
      case '*':
        return at > 0 && !isLast && isBlank(before) && isBlank(after) ? mark : '\\*';
      case '_':
        return isLetterOrDigit(before) && isLetterOrDigit(after) ? mark : '\\_';
      case '[':
        return inLink || after === '^' || isLast || / |x|X/.test(after) ? '\\[' : mark;
      case ']':
        return inLink || isLast || /[([:]/.test(after) ? '\\]' : mark;
      case '<':
        return isLast || /[a-z/!?]/i.test(after) ? '\\<' : mark;
      case '&':
        return ENTITY.test(text.slice(at, at + 40)) ? '\\&' : mark;
      case '~':
        return isBlank(before) && at > 0 ? mark : '\\~';
      default:
        return `\\${mark}`;
    }
  });
}

const LINE_MARKS: readonly (readonly [RegExp, string])[] = [
  [/^(#{1,6})(?=\s|$)/, '\\$1'],
  [/^([-+*])(?=\s|$)/, '\\$1'],
  [/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2'],
  [/^>/, '\\>'],
  [/^(=+|-+|~{3,})(?=\s*$)/, '\\$1'],
  [/^(~~~)/, '\\$1'],
  [/^(?=[|: -]+$)(.*-.*)$/, '\\$1'],
  [/^(_{3,}|(?:_ ?){3,})$/, '\\$1'],
];
const LINE_START = /^[#\-+*\d>=~|:_]/;

/** Escapes the beginning of a line of text where it would start a list, a heading, a quotation or a rule. */
export function escapeLineStart(line: string): string {
  if (!LINE_START.test(line)) return line;
  for (const [pattern, escaped] of LINE_MARKS) {
    const safe = line.replace(pattern, escaped);
    if (safe !== line) return safe;
  }
  return line;
}
