import type { GateStub } from '../gate-stub.ts';
import type { Effect } from './rule-pattern.ts';

/** Tells if more calls get through once a rule of that effect holds, or no longer holds. */
export function widens(effect: Effect, holds: boolean): boolean {
  return (effect === 'allow') === holds;
}

/** Answers the same for a stored rule. A rule that does not exist widens nothing. */
export async function ruleWidens(gate: GateStub, id: string, holds: boolean): Promise<boolean> {
  const rule = (await gate.rules()).find((one) => one.id === id);
  return rule !== undefined && widens(rule.effect, holds);
}
