/** Gives the few names that share the most pairs of letters with a name. */
export function likest(name: string, names: readonly string[], count = 3): readonly string[] {
  const wanted = pairsOf(name);
  const likeness = (other: string) => {
    const pairs = pairsOf(other);
    return (2 * [...pairs].filter((pair) => wanted.has(pair)).length) / (pairs.size + wanted.size);
  };
  const rated = [...new Set(names)].filter(Boolean).map((one) => ({ one, like: likeness(one) }));
  return rated
    .toSorted((a, b) => b.like - a.like)
    .slice(0, count)
    .map(({ one }) => one);
}

function pairsOf(name: string): ReadonlySet<string> {
  const letters = name.toLowerCase();
  return new Set([...letters].map((_, i) => letters.slice(i, i + 2)));
}
