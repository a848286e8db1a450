/** Collects an option that is repeated for each of its values. */
export function collect(word: string, words: readonly string[]): string[] {
  return [...words, word];
}
