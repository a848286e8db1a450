import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { type Piece, parseRegex, type Sequence } from '../../../src/gate/rules/rule-regex.ts';
import { holdsFor } from '../../support/property.ts';

// What is checked is the parsed form, what runs is the text: so the two must mean the same.
describe('what is read is what RE2 runs', () => {
  const atoms = [
    ...['a', 'b', '"', '\\\\', '\\.', '.', '[ab]', '[^ab]', '[]a]', '[^]a]', '[\\]a]', '[[:alpha:]]', '[[a]'],
    ...[
      '\\d',
      '\\W',
      '\\pL',
      '\\PL',
      '\\x22',
      '\\x{61}',
      '\\"',
      '\\_',
      '{',
      '}',
      ']',
      '{,2}',
      '{a}',
      '\\b',
      '-',
      '\n',
    ],
  ];
  const pattern = fc.letrec<{ sequence: string; atom: string }>((tie) => ({
    sequence: fc
      .array(
        fc.tuple(
          tie('atom'),
          fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{02}'),
        ),
        { maxLength: 4 },
      )
      .map((pieces) => pieces.map((piece) => piece.join('')).join('')),
    atom: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...atoms),
      fc.tuple(tie('sequence'), tie('sequence')).map(([a, b]) => `(?:${a}|${b})`),
      tie('sequence').map((text) => `(${text})`),
    ),
  })).sequence;
  const noise = fc.string({ unit: fc.constantFrom(...'ab.*+?()[]{}|\\^$-,2":dDpLx'), maxLength: 10 });
  const text = fc.string({ unit: fc.constantFrom(...'aab"\\.{}]-,2_\né'), maxLength: 6 });

  /** The pattern written anew from what was read, so plainly that it can be read in one way only. */
  function plainly(pieces: Sequence, source: string): string {
    return pieces.map((piece) => plainlyOf(piece, source)).join('');
  }
  function plainlyOf(piece: Piece, source: string): string {
    if (piece.kind === 'literal') return `\\x{${piece.char.codePointAt(0)?.toString(16)}}`;
    if (piece.kind === 'group') return `(?:${piece.branches.map((way) => plainly(way, source)).join('|')})`;
    if (piece.kind !== 'repeat') return source.slice(piece.from, piece.to);
    return `(?:${plainlyOf(piece.body, source)})${source.slice(piece.body.to, piece.to)}`;
  }

  it.each([
    ['patterns', pattern],
    ['noise', noise],
  ])('for %s', (_, patterns) => {
    let taken = 0;
    holdsFor(fc.tuple(patterns, fc.array(text, { minLength: 5, maxLength: 10 })), ([core, texts]) => {
      const source = `^${core}$`;
      const parsed = parseRegex(source);
      if ('problem' in parsed) return;
      taken++;
      const run = RE2JS.compile(source);
      const read = RE2JS.compile(`^${plainly(parsed.pieces, source)}$`);
      for (const one of texts) expect([one, run.testExact(one)]).toEqual([one, read.testExact(one)]);
    });
    expect(taken).toBeGreaterThan(20);
  });
});
