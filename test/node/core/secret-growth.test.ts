import { describe, expect, it } from 'vitest';
import type { SecretRule } from '../../../src/core/find-secrets.ts';
import { SECRET_RULES } from '../../../src/core/secret-rules.ts';
import { piecesOf, readPattern } from '../../support/pattern-tree.ts';

const patternsOf = ({ label, known, more }: SecretRule) =>
  [label, known, more].filter((one) => one !== undefined);

describe('every pattern of every rule', () => {
  it.each(SECRET_RULES.map((rule) => [`${rule.kind} ${rule.begins[0]}`, rule] as const))(
    'is tried at one place and repeats nothing without end: %s',
    (_, rule) => {
      expect(rule.begins.every((begin) => /^[\0-\x7f]{2,}$/.test(begin))).toBe(true);
      if (rule.label) expect(rule.begins.every((begin) => begin === begin.toLowerCase())).toBe(true);
      for (const pattern of patternsOf(rule)) {
        expect(pattern.sticky, String(pattern)).toBe(true);
        for (const piece of piecesOf(readPattern(pattern.source))) {
          if (piece.type !== 'repeat') continue;
          expect(piece.max, String(pattern)).toBeLessThanOrEqual(16_384);
          // Two bounds that multiply are no bound to speak of.
          const inner = [...piecesOf(piece.piece)].map((one) => (one.type === 'repeat' ? one.max : 1));
          if (piece.max > 16)
            expect(Math.max(...inner) * piece.max, String(pattern)).toBeLessThanOrEqual(1 << 18);
        }
      }
    },
  );
});
