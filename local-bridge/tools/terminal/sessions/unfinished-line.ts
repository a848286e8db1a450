import { plainText, safe } from '../clean-text.ts';

/** Characters at the end of a question or a prompt. No secret's half ends like that by chance. */
const ENDS_A_PROMPT = /[\s:>$#%?)\]]$/;

/**
 * Makes the last line safe to show while it has no end yet. It leaves out an unfinished last word, because that may be
 * half of a secret, and no pattern knows a half.
 */
export function unfinishedLine(raw: string): string {
  const line = plainText(raw);
  return safe(ENDS_A_PROMPT.test(line) ? line : line.slice(0, lastWordAt(line)));
}

/** Finds where the last word begins. A pattern for it would look at a long word once for each of its letters. */
function lastWordAt(line: string): number {
  let at = line.length;
  while (at > 0 && !/\s/.test(line.charAt(at - 1))) at -= 1;
  return at;
}
