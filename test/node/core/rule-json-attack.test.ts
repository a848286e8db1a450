import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { canonicalJson, parseStrictJson } from '../../../src/core/json.ts';
import { jsonProblem } from '../../../src/gate/rules/rule-json-regex.ts';
import { type Piece, parseRegex, type Sequence } from '../../../src/gate/rules/rule-regex.ts';
import { holdsFor } from '../../support/property.ts';

// The promise that all of this is for.
describe('a pattern that is taken matches no key that it does not spell', () => {
  const parts = [
    ...[
      '.*',
      '.',
      '.+?',
      '[^"\\\\]*',
      '[^"]*',
      '[^\\\\]*',
      '[^,]*',
      '\\S*',
      '\\W+',
      '[a-z]*',
      '[a-z":,]*',
      '\\PL*',
      '\\w+',
    ],
    ...[
      '"',
      '\\\\',
      '\\\\"',
      '\\"',
      '\\\\\\\\',
      '\\x22',
      '(?:"|a)',
      '"?',
      '("[^"\\\\]*")?',
      '(,"b":"[^"\\\\]*")?',
      ':?',
    ],
    ...[
      '"a":',
      '"path":',
      '","',
      ',',
      ':',
      '{',
      '}',
      '[:,]',
      '[^"\\\\:]*',
      '(.|a)*',
      '(?:"a"|"path")',
      '\\[',
      '\\]',
      'a',
      '',
    ],
  ];
  const some = (most: number) =>
    fc.array(fc.constantFrom(...parts), { maxLength: most }).map((all) => all.join(''));
  const key = fc.constantFrom(
    '"path"',
    '"a"',
    '"b"',
    '"[a-z]*"',
    '"(?:a|b)"',
    '"a"?',
    '".*"',
    '"b\\\\"c"',
    '"a"[^"\\\\]*',
  );
  const value = fc.oneof(
    fc.constantFrom(
      '.*',
      '[^"\\\\]*',
      '[^"\\\\:]*',
      '"[^"\\\\]*"',
      '"(?:[^"\\\\]|\\\\")*"',
      '".*"',
      '"\\\\"[^"\\\\]*"',
    ),
    fc.constantFrom(
      '[^,]*',
      '"?[^"\\\\]*"?',
      '(?:"[^"\\\\]*"|[0-9]+)',
      '{"a":"[^"\\\\]*"}',
      '\\w*',
      '"[^"\\\\]*",?',
    ),
    fc.constantFrom(
      '"[^"\\\\]*"(,"b":"[^"\\\\]*")?',
      '("[^"\\\\]*",?)*',
      '"("|x)[^"\\\\]*"',
      '(,"a":"x")+',
      '"\\w"',
    ),
    some(3).map((text) => `"${text}"`),
  );
  const likely = fc
    .array(fc.tuple(key, value), { minLength: 1, maxLength: 3 })
    .map((pairs) => `^{${pairs.map((pair) => pair.join(':')).join(',')}}$`);
  const wild = some(5).map((text) => `^{"a":${text}}$`);

  const choices = fc.array(fc.nat(999), { minLength: 40, maxLength: 40 });
  /** Classes are made to match what JSON is built of, in quantities that make it. */
  const CHARS = ['"', '\\', ',', ':', '{', '}', '"', ',', ':', 'x', 'b', '1', '[', ']', '-'];
  const RUNS = [
    '',
    'x',
    '","b":"',
    '","c":"',
    '1',
    'x","b":"',
    '\\',
    'b":1,"c',
    '"',
    '\\"',
    ',"b":1',
    '{}',
    '[1]',
    '"x"',
  ];

  const fitting = new Map<string, readonly string[]>();
  /** Those of the texts that a piece of a pattern matches whole. The same pieces come again and again. */
  function fitsOf(piece: string, texts: readonly string[]): readonly string[] {
    const known = fitting.get(piece);
    if (known) return known;
    const compiled = RE2JS.compile(piece);
    const fits = texts.filter((text) => compiled.testExact(text));
    fitting.set(piece, fits);
    return fits;
  }

  /** One of the texts that a pattern matches, as hostile as it allows. */
  function textOf(pieces: Sequence, source: string, next: () => number): string {
    return pieces.map((piece) => textOfPiece(piece, source, next)).join('');
  }
  function textOfPiece(piece: Piece, source: string, next: () => number): string {
    switch (piece.kind) {
      case 'literal':
        return piece.char;
      case 'edge':
        return '';
      case 'class': {
        const fits = fitsOf(source.slice(piece.from, piece.to), CHARS);
        return fits[next() % fits.length] ?? '';
      }
      case 'group':
        return textOf(piece.branches[next() % piece.branches.length] ?? [], source, next);
      case 'repeat': {
        if (piece.body.kind === 'class') {
          const fits = fitsOf(source.slice(piece.from, piece.to), RUNS);
          if (fits.length > 0) return fits[next() % fits.length] ?? '';
        }
        const times = Math.min(next() % 4, piece.max);
        return Array.from({ length: times }, () => textOfPiece(piece.body, source, next)).join('');
      }
    }
  }

  function keysOf(found: unknown): string[] {
    if (Array.isArray(found)) return found.flatMap(keysOf);
    if (typeof found !== 'object' || found === null) return [];
    return Object.entries(found).flatMap(([name, inner]) => [name, ...keysOf(inner)]);
  }

  /** The keys of a text, if it is the JSON of some arguments at all. */
  function keysIn(text: string): string[] {
    try {
      const args = parseStrictJson(text);
      return canonicalJson(args) === text ? keysOf(args) : [];
    } catch {
      return [];
    }
  }

  /** Whether a pattern spells `"key":`, with the escapes of a pattern undone. */
  const spells = (source: string, name: string) =>
    source
      .replace(/\\x22/g, '"')
      .replace(/\\([^\w])/g, '$1')
      .includes(`${JSON.stringify(name)}:`);

  it.each([
    ['likely patterns', likely],
    ['any patterns', wild],
  ])('%s', (_, patterns) => {
    const counts = { taken: 0, ofTaken: 0, refused: 0, smuggled: 0 };
    const attack = fc.tuple(
      fc.array(patterns, { minLength: 5, maxLength: 10 }),
      fc.array(choices, { minLength: 5, maxLength: 10 }),
    );
    holdsFor(attack, ([sources, tries]) => {
      for (const source of sources) {
        const parsed = parseRegex(source);
        if ('problem' in parsed) continue;
        const isTaken = jsonProblem(source, parsed.pieces) === undefined;
        counts[isTaken ? 'taken' : 'refused']++;
        for (const numbers of tries) {
          let i = 0;
          const text = textOf(parsed.pieces, source, () => numbers[i++ % numbers.length] ?? 0);
          const keys = keysIn(text);
          const foreign = keys.filter((name) => !spells(source, name));
          if (isTaken) {
            counts.ofTaken += keys.length;
            expect([source, text, foreign]).toEqual([source, text, []]);
          } else counts.smuggled += foreign.length;
        }
      }
    });
    expect(counts.taken).toBeGreaterThan(50);
    expect(counts.ofTaken).toBeGreaterThan(50);
    // That the attack is one: of what is refused, some falls to it.
    expect(counts.refused).toBeGreaterThan(500);
    expect(counts.smuggled).toBeGreaterThan(5);
  });
});
