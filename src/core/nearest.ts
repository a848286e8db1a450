/** Finds the candidate that a mistyped word most likely means, if any is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Counts the letters to put in, leave out, change, or swap with the next one. */
function editDistance(a: string, b: string): number {
  let beforeThat: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (beforeThat[j - 2] ?? 0) + 1 : change;
      row.push(Math.min(change, swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    beforeThat = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
