import fc from 'fast-check';

/** The same cases on every run; `FC_SEED=…` explores others, `FC_RUNS=…` more of them. */
const seed = Number(process.env.FC_SEED ?? 20_260_109);
const RUNS = 300;

/** Holds a promise against generated values; a failure prints its seed and the smallest case. */
export function holdsFor<T>(values: fc.Arbitrary<T>, promise: (value: T) => void, runs = RUNS): void {
  fc.assert(fc.property(values, promise), { seed, numRuns: Number(process.env.FC_RUNS ?? runs) });
}

const text = fc.string({ unit: 'binary', maxLength: 12 });

const number = fc
  .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }))
  // JSON has one zero; and 1e9 keeps every double with no fraction within the safe integers.
  .map((value) => (value === 0 ? 0 : value));

/** JSON values that any two parsers understand alike: well-formed text, exact numbers, moderate depth. */
export const plainJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, text),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

/** Strings of every code point, without halves of pairs. */
export const anyText = fc.string({ unit: 'binary', maxLength: 40 });
