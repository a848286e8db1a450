const MAX_WORDS = 24;

/**
 * Words as a full-text query in which nothing of them is syntax: all of the words first, any of them second.
 * `undefined` if there is no word in it.
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

/** Scripts that are written without spaces are indexed in long runs, of which a word is at best the start. */
function isUnspaced(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
}
