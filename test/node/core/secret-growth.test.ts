import { describe, expect, it } from 'vitest';
import { findSecrets, indexRules, type SecretRule } from '../../../src/core/find-secrets.ts';
import { SECRET_RULES } from '../../../src/core/secret-rules.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { countedRules } from '../../support/counted-rules.ts';
import { type Attack, attacksOn } from '../../support/pattern-attacks.ts';
import { tryAt } from '../../support/pattern-steps.ts';
import { piecesOf, readPattern } from '../../support/pattern-tree.ts';

const patternsOf = ({ label, known, more }: SecretRule) =>
  [label, known, more].filter((one) => one !== undefined);

const RULES = SECRET_RULES.map((rule) => [`${rule.kind} ${rule.begins[0]}`, rule] as const);

describe('every pattern of every rule', () => {
  it.each(RULES)('is tried at one place and repeats nothing without end: %s', (_, rule) => {
    expect(rule.begins.every((begin) => begin.length >= 2)).toBe(true);
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
  });
});

const SMALL = 1_024;
/** To twice what the bounds of any pattern multiply to, or to 4 MB. */
const LENGTHS = [SMALL, 65_536, AT_LENGTH ? 4_194_304 : 524_288];
/** What a character of the text may cost, whatever its length. */
const MAX_STEPS = 150;
/** A square would be at least 8 times as much from one length to the next, and so would be a bound that is far away. */
const MAX_GROWTH = 1.5;
const MINUTES = { timeout: 180_000 };

function perCharacter(rules: readonly SecretRule[], attacksFor: readonly Attack[]) {
  const counted = countedRules(rules);
  const index = indexRules(counted.rules);
  const walk = (text: string) => void findSecrets(text, index);
  const cost = (attack: Attack, length: number) => {
    const { tries, steps } = counted.workOf(attack, length, walk);
    return (tries + steps) / length;
  };
  const costs = attacksFor.map((attack) => cost(attack, SMALL));
  const worst = attacksFor[costs.indexOf(Math.max(...costs))];
  if (!worst) throw new Error('There is no text to try.');
  return { worst, costs: LENGTHS.map((length) => cost(worst, length)) };
}

function isLinear([small = 0, ...longer]: readonly number[]): boolean {
  return longer.every((cost) => cost <= MAX_STEPS && cost <= Math.max(small, 1) * MAX_GROWTH);
}

/** Texts that feed every repetition of a rule's patterns, behind what the rule begins with. */
function attacksOnRule(rule: SecretRule): Attack[] {
  const begin = rule.begins[0] ?? '';
  const parts = patternsOf(rule)
    .flatMap(attacksOn)
    .flatMap(({ before, part }) => [before + part, before + part.repeat(12)]);
  return [...new Set(['', ...parts])].flatMap((rest) => [
    { before: '', part: `-${begin}${rest}`, after: '' },
    { before: begin, part: rest || begin, after: '' },
    { before: '', part: `-${begin}${rest}`, after: '\u0001' },
  ]);
}

describe('the work that a text makes', () => {
  it.each(RULES)('grows as the text does: %s', MINUTES, (_, rule) => {
    const { worst, costs } = perCharacter([rule], attacksOnRule(rule));
    expect(isLinear(costs), JSON.stringify({ worst, costs })).toBe(true);
  });

  it.each([
    ['one long line', 'x'],
    ['spaces', ' '],
    ['beginnings of tokens', '-eyJaaaaaaaaaaaa'],
    ['labels', 'password='],
    ['quoted labels', '"password":"'],
    ['objects', '"token":{"a":['],
    ['addresses', 'x://a:'],
    ['keys that never end', '-----BEGIN PRIVATE KEY-----\n'],
    ['secrets', `AKIA${'Q7'.repeat(8)} `],
    ['options', ' -u a: --password -p '],
    ['headers', 'Authorization: Cookie: Bearer '],
    ['everything that a secret begins with', SECRET_RULES.flatMap(({ begins }) => begins).join(' ')],
  ])('grows as the text does for all rules together: %s', MINUTES, (_, part) => {
    const { costs } = perCharacter(SECRET_RULES, [{ before: '', part, after: '' }]);
    expect(isLinear(costs), JSON.stringify(costs)).toBe(true);
  });

  it('is found to grow with the square of a text where it does, be it from a bound that is far away', () => {
    const rule = (known: RegExp): SecretRule => ({ kind: 'jwt', begins: ['eyJ'], known });
    for (const known of [/[\w-]{8,}\.eyJ/y, /[\w-]{8,20000}\.eyJ/y]) {
      const attack = { before: '', part: '-eyJaaaaaaaaaaaa', after: '' };
      const counted = countedRules([rule(known)]);
      const index = indexRules(counted.rules);
      const steps = (length: number) =>
        counted.workOf(attack, length, (text) => void findSecrets(text, index)).steps / length;
      expect(isLinear([steps(512), steps(4_096)])).toBe(false);
    }
  });
});

describe('the counter of steps', () => {
  it('finds what the engine finds, for every pattern', () => {
    for (const rule of SECRET_RULES) {
      for (const pattern of patternsOf(rule)) {
        for (const { before, part, after } of attacksOn(pattern).slice(0, 40)) {
          const text = `-${rule.begins[0]}${before}${part.repeat(Math.ceil(120 / part.length))}${after}`;
          const at = 1 + (rule.begins[0]?.length ?? 0);
          pattern.lastIndex = at;
          const end = pattern.test(text) ? pattern.lastIndex : -1;
          expect(tryAt(pattern, text, at).end, `${pattern} ${JSON.stringify(text)}`).toBe(end);
        }
      }
    }
  });
});
