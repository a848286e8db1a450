import { matchesRule, type Rule, type RuleCall } from './rule.ts';
import type { Effect } from './rule-pattern.ts';

/** What is to happen to a call, and what said so. */
export interface Decision {
  readonly verdict: Effect;
  readonly because: { readonly kind: 'default' } | { readonly kind: 'rule'; readonly id: string };
}

/**
 * Decides on a call: a rule that denies beats one that asks, which beats one that allows; without any,
 * the contract decides. Of several rules that say the same, the oldest answers for it.
 */
export function decide(
  approval: 'never' | 'ask',
  rules: readonly Rule[],
  call: RuleCall,
  now: number,
): Decision {
  // What nobody has to approve needs no rule to allow it, and must not use one up.
  const [byDefault, effects] = approval === 'never' ? (['allow', NOES] as const) : (['ask', ALL] as const);
  const speaking = rules.filter((rule) => holds(rule, now) && matchesRule(rule, call));
  for (const effect of effects) {
    const [oldest] = speaking.filter((rule) => rule.effect === effect).sort(byAge);
    if (oldest) return { verdict: effect, because: { kind: 'rule', id: oldest.id } };
  }
  return { verdict: byDefault, because: { kind: 'default' } };
}

const NOES = ['deny', 'ask'] as const satisfies Effect[];
const ALL = [...NOES, 'allow'] as const;

/** Whether a rule still counts at all. */
export function holds(rule: Rule, now: number): boolean {
  const isUsedUp = rule.maxUses !== null && rule.uses >= rule.maxUses;
  return rule.enabled && now < rule.expiresAt && !isUsedUp;
}

/** Ids decide between rules of the same moment, so that the same rules always give the same answer. */
function byAge(a: Rule, b: Rule): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
