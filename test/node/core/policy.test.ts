import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import { decide, holds } from '../../../src/gate/rules/policy.ts';
import type { Rule, RuleCall } from '../../../src/gate/rules/rule.ts';
import type { Effect } from '../../../src/gate/rules/rule-pattern.ts';
import { holdsFor } from '../../support/property.ts';

const NOW = 1_800_000_000_000;

const args = { path: 'a' };
const call: RuleCall = {
  tool: 'create_file',
  machine: 'mini',
  root: null,
  args,
  canonicalArgs: canonicalJson(args),
};

const rule = (id: string, effect: Effect, over: Partial<Rule> = {}): Rule => ({
  id,
  tool: 'create_file',
  machine: null,
  effect,
  match: { kind: 'arguments', fields: { path: { equals: 'a' } } },
  expiresAt: NOW + 1,
  maxUses: null,
  uses: 0,
  enabled: true,
  note: '',
  examples: { must: [], mustNot: [] },
  createdAt: NOW - 1_000,
  ...over,
});

const byRule = (verdict: Effect, id: string) => ({ verdict, because: { kind: 'rule', id } });
const byDefault = (verdict: Effect) => ({ verdict, because: { kind: 'default' } });

describe('decide', () => {
  it.each([
    ['never', 'allow'],
    ['ask', 'ask'],
  ] as const)('without rules, says what the contract says: %s is %s', (approval, verdict) => {
    expect(decide(approval, [], call, NOW)).toEqual(byDefault(verdict));
  });

  const allow = rule('y', 'allow');
  const ask = rule('q', 'ask');
  const deny = rule('n', 'deny');

  it.each<['never' | 'ask', Rule[], unknown]>([
    ['ask', [allow], byRule('allow', 'y')],
    ['ask', [ask], byRule('ask', 'q')],
    ['ask', [deny], byRule('deny', 'n')],
    ['ask', [allow, ask], byRule('ask', 'q')],
    ['ask', [ask, allow], byRule('ask', 'q')],
    ['ask', [allow, deny], byRule('deny', 'n')],
    ['ask', [ask, deny, allow], byRule('deny', 'n')],
    ['never', [ask], byRule('ask', 'q')],
    ['never', [deny], byRule('deny', 'n')],
    ['never', [ask, deny], byRule('deny', 'n')],
    // Nothing is used up by what needs nobody's yes.
    ['never', [allow], byDefault('allow')],
    ['never', [allow, ask], byRule('ask', 'q')],
  ])('%s with %j', (approval, rules, expected) => {
    expect(decide(approval, rules, call, NOW)).toEqual(expected);
  });

  it.each<[string, Partial<Rule>]>([
    ['is turned off', { enabled: false }],
    ['is over', { expiresAt: NOW }],
    ['was over long ago', { expiresAt: 0 }],
    ['is used up', { maxUses: 2, uses: 2 }],
    ['was used too often', { maxUses: 2, uses: 3 }],
    ['is of another tool', { tool: 'create_directory' }],
    ['is of another machine', { machine: 'studio' }],
    ['says something else', { match: { kind: 'arguments', fields: { path: { equals: 'b' } } } }],
  ])('does not count a rule that %s', (_, over) => {
    for (const effect of ['allow', 'ask', 'deny'] as const) {
      expect(decide('ask', [rule('x', effect, over)], call, NOW)).toEqual(byDefault('ask'));
    }
    expect(decide('ask', [rule('x', 'deny', over), allow], call, NOW)).toEqual(byRule('allow', 'y'));
  });

  it.each<[string, Partial<Rule>]>([
    ['has a use left', { maxUses: 2, uses: 1 }],
    ['has no limit of uses', { uses: 1_000 }],
    ['is over in a moment', { expiresAt: NOW + 1 }],
    ['is of this machine', { machine: 'mini' }],
  ])('counts a rule that %s', (_, over) => {
    expect(decide('ask', [rule('x', 'allow', over)], call, NOW)).toEqual(byRule('allow', 'x'));
  });

  it('names the oldest of the rules that say so, and of the oldest the first by name', () => {
    const old = (id: string) => rule(id, 'allow', { createdAt: NOW - 5_000 });
    expect(
      decide(
        'ask',
        [allow, old('b'), old('a'), old('c'), ask, rule('z', 'ask', { createdAt: 0 })],
        call,
        NOW,
      ),
    ).toEqual(byRule('ask', 'z'));
    expect(decide('ask', [allow, old('b'), old('a'), old('c')], call, NOW)).toEqual(byRule('allow', 'a'));
    expect(decide('ask', [old('c'), allow, old('b'), old('a')].reverse(), call, NOW)).toEqual(
      byRule('allow', 'a'),
    );
  });

  const rules = fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      effect: fc.constantFrom<Effect>('allow', 'ask', 'deny'),
      createdAt: fc.nat(3),
      enabled: fc.boolean(),
      expiresAt: fc.constantFrom(NOW - 1, NOW, NOW + 1),
      maxUses: fc.constantFrom(null, 1, 2),
      uses: fc.nat(2),
      machine: fc.constantFrom(null, 'mini', 'studio'),
    }),
    { maxLength: 6 },
  );
  const approval = fc.constantFrom('never' as const, 'ask' as const);

  it('does not depend on the order of the rules, nor change them', () => {
    const uniquely = rules.map((all) => [
      ...new Map(all.map((one) => [one.id, rule(one.id, one.effect, one)])).values(),
    ]);
    holdsFor(fc.tuple(approval, uniquely, fc.nat()), ([contract, all, turn]) => {
      const copy = structuredClone(all);
      const turned = [...all.slice(turn % 6), ...all.slice(0, turn % 6)].reverse();
      const decision = decide(contract, all, call, NOW);
      expect(decide(contract, turned, call, NOW)).toEqual(decision);
      expect(all).toEqual(copy);
    });
  });

  it('is at least as strict as the strictest rule that counts, and never laxer than the contract but by a rule', () => {
    const strictness = { allow: 0, ask: 1, deny: 2 };
    holdsFor(fc.tuple(approval, rules), ([contract, all]) => {
      const made = all.map((one) => rule(one.id, one.effect, one));
      const counting = made.filter(
        (one) =>
          one.enabled &&
          one.expiresAt > NOW &&
          (one.maxUses === null || one.uses < one.maxUses) &&
          one.machine !== 'studio',
      );
      const { verdict, because } = decide(contract, made, call, NOW);
      for (const one of counting) expect(strictness[verdict]).toBeGreaterThanOrEqual(strictness[one.effect]);
      if (because.kind === 'rule') {
        expect(counting.some(({ id, effect }) => id === because.id && effect === verdict)).toBe(true);
      } else expect(verdict).toBe(contract === 'never' ? 'allow' : 'ask');
    });
  });
});

describe('a rule holds', () => {
  it('as a yes only from the time it was made, because a yes for an hour would last for days after the clock was set back', () => {
    const made = (effect: 'allow' | 'ask' | 'deny') =>
      rule('x', effect, { createdAt: NOW, expiresAt: NOW + 3_600_000 });
    const aDayBefore = NOW - 86_400_000;
    expect(holds(made('allow'), aDayBefore)).toBe(false);
    expect(holds(made('allow'), NOW - 60_000)).toBe(true);
    expect([holds(made('ask'), aDayBefore), holds(made('deny'), aDayBefore)]).toEqual([true, true]);
  });

  it('until its end and no longer', () => {
    const one = rule('x', 'allow', { expiresAt: NOW });
    expect(holds(one, NOW - 1)).toBe(true);
    expect(holds(one, NOW)).toBe(false);
  });
});
