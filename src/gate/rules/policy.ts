import { lately } from '../../core/clock.ts';
import { matchesRule, type Rule, type RuleCall } from './rule.ts';
import type { Effect } from './rule-pattern.ts';

/** The decision about a call, and the rule or default that made it. */
export interface Ruling {
  readonly verdict: Effect;
  readonly because: { readonly kind: 'default' } | { readonly kind: 'rule'; readonly id: string };
}

/**
 * Decides about a call. A rule that denies beats one that asks, and that beats one that allows. Without a
 * rule, the contract decides. If several rules say the same, the oldest one counts as the reason.
 */
export function decide(
  approval: 'never' | 'ask',
  rules: readonly Rule[],
  call: RuleCall,
  now: number,
): Ruling {
  // A call that needs no approval needs no rule to allow it, and must not use one up.
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

const HOUR = 3_600_000;

/** Tells if a rule still counts. */
export function holds(rule: Rule, now: number): boolean {
  const isUsedUp = rule.maxUses !== null && rule.uses >= rule.maxUses;
  // A yes from the future counts only once its time has come. Otherwise a yes for an hour would last for days after the
  // clock was set back.
  const isFuture = rule.effect === 'allow' && rule.createdAt > lately(HOUR, now)[1];
  return rule.enabled && now < rule.expiresAt && !isUsedUp && !isFuture;
}

/**
 * Sorts rules by age. Rules of the same moment go by id, so that the same rules always give the same answer.
 */
function byAge(a: Rule, b: Rule): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
