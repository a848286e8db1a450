/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** A whole number below this one. */
  below(end: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, quick, and good enough to choose where to cut a string.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (end: number) => (end < 1 ? 0 : next() % end);
  return { below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T };
}
