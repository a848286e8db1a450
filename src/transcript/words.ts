import { normalForm } from '../core/visible.ts';

/** Scripts without blanks between words are compared character by character. */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** Sounds of thinking, which cleaning may take out. */
const FILLERS = new Set([
  'um',
  'umm',
  'uh',
  'uhh',
  'uhm',
  'er',
  'erm',
  'ah',
  'hmm',
  'mm',
  'mhm',
  'äh',
  'ähm',
  'eh',
  'ehm',
  'euh',
]);

/** Counts each word of a text, whatever its case and punctuation. */
function wordsIn(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [token] of normalForm(text, 'NFC').toLowerCase().matchAll(TOKEN)) {
    if (!FILLERS.has(token)) words.set(token, (words.get(token) ?? 0) + 1);
  }
  return words;
}

/**
 * Gives the share of each text's words that the other has too: how much was kept, and how much was not
 * invented.
 */
export function overlap(before: string, after: string): { readonly kept: number; readonly known: number } {
  const a = wordsIn(before);
  const b = wordsIn(after);
  let common = 0;
  for (const [word, count] of a) common += Math.min(count, b.get(word) ?? 0);
  return { kept: share(common, total(a)), known: share(common, total(b)) };
}

function total(words: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of words.values()) sum += count;
  return sum;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
