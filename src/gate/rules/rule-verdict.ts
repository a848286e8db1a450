import type { GateCall, ShownPreview } from '../messages.ts';
import { parseRun } from './argv-ending.ts';
import { type Decision, decide, holds } from './policy.ts';
import { type Rule, type RuleCall, TERMINAL_TOOL } from './rule.ts';
import { mayRunAnother } from './rule-launchers.ts';

type Judged = Pick<GateCall, 'tool' | 'machine' | 'root' | 'args' | 'risk' | 'approval' | 'shown'>;

/** What rules say to a call, and the state of things that a yes goes by. */
export type Verdict = Decision & { readonly seen?: string | null };

/**
 * What the rules say; `look` where that depends on what somebody would see who looks. A yes to a whole tool lets what
 * is dangerous run in a sandbox only, and the machine must then find things as they were seen.
 */
export function verdictOf(call: Judged, rules: readonly Rule[], now: number): Verdict | 'look' {
  const asked = ruleCall(call, rules);
  if (call.risk !== 'dangerous') return decide(call.approval, rules, asked, now);
  const narrow = decide(
    call.approval,
    rules.filter((rule) => !isForTool(rule)),
    asked,
    now,
  );
  if (narrow.verdict !== 'ask' || narrow.because.kind !== 'default') return narrow;
  const wide = decide(call.approval, rules.filter(isForTool), asked, now);
  if (wide.verdict !== 'allow' || mayHide(asked, rules, now)) return narrow;
  if (call.shown === null) return 'look';
  const seen = sandboxedState(call.shown);
  return seen === null ? narrow : { ...wide, seen };
}

function isForTool({ match }: Rule): boolean {
  return match.kind === 'tool';
}

/** Whether the machine said that the call would run in a sandbox. */
export function isSandboxed(shown: ShownPreview): boolean {
  return sandboxedState(shown) !== null;
}

/** What a run in the sandbox must find unchanged. Without it nothing would hold the machine to its word. */
function sandboxedState(shown: ShownPreview): string | null {
  return 'preview' in shown && shown.preview.sandboxed === true ? shown.preview.state : null;
}

/** Whether there is a no to some command that this one may have in it without its words saying so. */
function mayHide({ tool, args }: RuleCall, rules: readonly Rule[], now: number): boolean {
  const isForbidden = rules.some(
    (rule) => rule.effect !== 'allow' && rule.match.kind === 'argv' && holds(rule, now),
  );
  if (tool !== TERMINAL_TOOL || !isForbidden) return false;
  const parsed = parseRun(String(args.command));
  return 'problem' in parsed || parsed.programs.some(mayRunAnother);
}

/** The call as rules look at it; without rules, its arguments need not be read. */
function ruleCall({ tool, machine, root, args }: Judged, rules: readonly Rule[]): RuleCall {
  const concerns = rules.some((rule) => rule.tool === tool);
  return { tool, machine, root, args: concerns ? JSON.parse(args) : {}, canonicalArgs: args };
}
