import fc from 'fast-check';

/** The bytes of an input whose characters are bytes. */
export function bytesIn(input: string): Uint8Array {
  return new Uint8Array(Buffer.from(input, 'latin1'));
}

export function inputOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** An input whose characters are the bytes of a text. */
export function utf8(text: string): string {
  return inputOf(Buffer.from(text));
}

/** JSON that is like one of these values, with parts of the others and of anything else. */
export function mixedJson(values: readonly unknown[]): fc.Arbitrary<string> {
  const leaves = values.flatMap(leavesOf);
  const odd = fc.oneof(
    fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53, '', 'a', [], {}),
    fc.constantFrom(...(leaves.length > 0 ? leaves : [0])),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const changed = fc.tuple(fc.constantFrom(...values), fc.array(fc.tuple(fc.nat(), odd), { maxLength: 3 }));
  return changed.map(([value, changes]) => {
    const copy = { root: structuredClone(value) };
    for (const [at, leaf] of changes) {
      const places = placesIn(copy).slice(1);
      const place = places[at % Math.max(1, places.length)];
      if (place) place.holder[place.key] = leaf;
    }
    return JSON.stringify(copy.root) ?? 'null';
  });
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Every place in a value where something else could stand. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

/** Texts made of these words and of anything else. */
export function texts(words: readonly string[], maxWords = 12): fc.Arbitrary<string> {
  const word = fc.oneof(
    { arbitrary: fc.constantFrom(...words), weight: 4 },
    { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 3 }), weight: 1 },
  );
  return fc.array(word, { maxLength: maxWords }).map((parts) => parts.join(''));
}
