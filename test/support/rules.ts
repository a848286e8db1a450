import type { RuleDraft } from '../../src/gate/rules/rule.ts';
import { checkRule } from '../../src/gate/rules/rule-check.ts';

/** The moment at which rules are checked. */
export const NOW = 1_800_000_000_000;
export const DAY = 86_400_000;

const TOOLS = ['create_file', 'run_in_terminal', 'player__play'];

/** A rule that can be saved. */
export const good: RuleDraft = {
  tool: 'create_file',
  machine: 'mini',
  effect: 'allow',
  match: { kind: 'arguments', fields: { path: { regex: '^docs/[^/]*$' }, content: { any: true } } },
  expiresAt: NOW + 30 * DAY,
  maxUses: null,
  note: '',
  examples: { must: ['{"path":"docs/a","content":""}'], mustNot: ['{"path":"src/a","content":""}'] },
};

/** What is wrong with that rule once something is changed about it: code, message, suggestion. */
export function problemsOf(change: Partial<RuleDraft>): string[][] {
  const checked = checkRule(
    { ...good, ...change },
    {
      toolExists: (tool) => TOOLS.includes(tool),
      isTerminal: (tool) => tool === 'run_in_terminal',
      now: NOW,
    },
  );
  if (checked.ok) return [];
  return checked.problems.map(({ code, message, suggestion }) => [code, message, suggestion]);
}

export function codesOf(change: Partial<RuleDraft>): string[] {
  return problemsOf(change).map(([code = '']) => code);
}
