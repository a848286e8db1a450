import { plainText, safe } from '../clean-text.ts';

/** Characters at the end of a question or a prompt. No secret's half ends like that by chance. */
const ENDS_A_PROMPT = /[\s:>$#%?)\]]$/;

/**
 * Makes the last line safe to show while it has no end yet. It leaves out an unfinished last word, because that may be
 * half of a secret, and no pattern knows a half.
 */
export function unfinishedLine(raw: string): string {
  const line = plainText(raw);
  return safe(ENDS_A_PROMPT.test(line) ? line : line.replace(/\S*$/, ''));
}
