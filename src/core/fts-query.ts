const MAX_WORDS = 24;

/**
 * Makes full-text queries from words, so that no word is read as syntax. The first query wants all words, the
 * second any of them. Gives `undefined` if there are no words.
 */
export function ftsQueries(query: string): { readonly all: string; readonly some: string } | undefined {
  const words = new Set(
    query
      .toLowerCase()
      .split(/[^\p{L}\p{N}\p{M}\p{Co}]+/u)
      .filter(Boolean),
  );
  if (words.size === 0) return undefined;
  const quoted = [...words].slice(0, MAX_WORDS).map((word) => `"${word}"${isUnspaced(word) ? '*' : ''}`);
  return { all: quoted.join(' AND '), some: quoted.join(' OR ') };
}

/**
 * Recognises words of scripts without spaces. The index takes each long run of such a script for one word, so a
 * query can match only the start of a run.
 */
function isUnspaced(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
}
