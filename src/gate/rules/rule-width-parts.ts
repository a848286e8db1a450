import { visible } from '../../core/visible.ts';
import { type Match, type RuleCall, type RuleDraft, type RuleProblem, ruleProblem } from './rule.ts';

/** The time for which an "always" holds, and the time now. */
export interface Until {
  readonly expiresAt: number;
  readonly now: number;
}

/** Says why a width has no rules. */
export function none(code: string, message: string): { readonly problem: RuleProblem } {
  return { problem: ruleProblem(code, message, 'Approve it this once.') };
}

/** Makes a rule that allows. */
export function draftOf(
  { tool, machine }: RuleCall,
  match: Match,
  { expiresAt }: Until,
  examples: RuleDraft['examples'] = { must: [], mustNot: [] },
): RuleDraft {
  const note = 'Written by "always".';
  return { tool, machine, effect: 'allow', match, expiresAt, maxUses: null, note, examples };
}

/** Says where a call works, for the end of a sentence. */
export function placeOf({ root, machine }: RuleCall): string {
  const folder = root === null ? '' : ` in ${visible(root, 64)}`;
  return `${folder}${machine === null ? '' : ` on ${visible(machine, 64)}`}`;
}

/** Quotes a text, so that nothing in it misleads. */
export function quoted(text: string): string {
  return `\`${visible(text, 120).replace(/\n/g, '\\n')}\``;
}
