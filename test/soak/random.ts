/** Numbers that a seed fixes: the same run of them for the same seed. */
export interface Random {
  /** From 0 up to, and without, `below`. */
  whole(below: number): number;
  pick<T>(of: readonly T[]): T;
  shuffled<T>(of: readonly T[]): T[];
}

/** A small generator (SplitMix32); each `name` gives another run of the same seed. */
export function randomFrom(seed: number, name: string): Random {
  let state = seed | 0;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const whole = (below: number) => next() % below;
  const pick = <T>(of: readonly T[]): T => {
    const found = of[whole(of.length)];
    if (found === undefined) throw new Error('There is nothing to pick from.');
    return found;
  };
  return {
    whole,
    pick,
    shuffled: (of) => {
      const rest = [...of];
      const dealt: typeof rest = [];
      while (rest.length > 0) dealt.push(...rest.splice(whole(rest.length), 1));
      return dealt;
    },
  };
}
