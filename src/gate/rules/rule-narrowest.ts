import { canonicalJson } from '../../core/json.ts';
import { parseCommand } from './argv.ts';
import {
  type FieldMatches,
  isAboutTheCall,
  type Match,
  type RuleCall,
  type RuleDraft,
  type RuleProblem,
  ruleProblem,
  TERMINAL_TOOL,
} from './rule.ts';
import { MAX_RULE_CHARS } from './rule-check.ts';
import { argvProblem } from './rule-launchers.ts';

/** How long an "always" lasts. */
export const ALWAYS_MS = 30 * 24 * 60 * 60 * 1_000;

export type NarrowestRule =
  | { readonly ok: true; readonly draft: RuleDraft }
  | { readonly ok: false; readonly problem: RuleProblem };

/** What "always" writes: a rule that allows this very call, on this machine, and no other. */
export function narrowestRule(asked: RuleCall, now: number): NarrowestRule {
  const call = withRoot(asked);
  const match = call.tool === TERMINAL_TOOL ? exactCommand(call) : exactArguments(call);
  if ('code' in match) return { ok: false, problem: match };
  const draft: RuleDraft = {
    tool: call.tool,
    machine: call.machine,
    effect: 'allow',
    match,
    expiresAt: now + ALWAYS_MS,
    maxUses: null,
    note: 'Written by "always".',
    examples: { must: [call.canonicalArgs], mustNot: [canonicalJson(nearbyArguments(call))] },
  };
  return JSON.stringify(draft).length > MAX_RULE_CHARS
    ? { ok: false, problem: TOO_LARGE }
    : { ok: true, draft };
}

const TOO_LARGE = ruleProblem(
  'rule_too_large',
  'The arguments are too long for a rule that allows exactly this call.',
  'Approve it this once; or write a rule that says by a pattern what the long value may be.',
);

/** Names the folder although it may be the default: another folder can become that. */
function withRoot(call: RuleCall): RuleCall {
  if (call.root === null) return call;
  const args = { ...call.args, root: call.root };
  return { ...call, args, canonicalArgs: canonicalJson(args) };
}

function exactArguments(call: RuleCall): Match {
  return { kind: 'arguments', fields: exactFields(call) };
}

function exactFields(call: RuleCall): FieldMatches {
  // Written out although it may be the default, which can become another folder.
  const args = call.root === null ? call.args : { ...call.args, root: call.root };
  const entries = Object.entries(args).filter(([name]) => !isAboutTheCall(name, call));
  return Object.fromEntries(entries.map(([name, value]) => [name, { equals: value }]));
}

function exactCommand(call: RuleCall): Match | RuleProblem {
  const { command, ...fields } = exactFields(call);
  const parsed = parseCommand(String(call.args.command));
  if ('problem' in parsed) {
    return ruleProblem(
      'shell_syntax',
      `A rule can not allow this command. ${parsed.problem}`,
      'Approve it this once, or have the command written plainly: a program and its words.',
    );
  }
  const match = { kind: 'argv', argv: parsed.argv, options: [], operands: 'none', fields } as const;
  return argvProblem(match) ?? match;
}

/** A call that is nearly the same, to show that the rule does not match it. */
function nearbyArguments(call: RuleCall): RuleCall['args'] {
  const name = Object.keys(call.args).find((key) => !isAboutTheCall(key, call));
  // A tool without arguments has no other call, but then one argument more is one too many.
  return name === undefined
    ? { ...call.args, other: true }
    : { ...call.args, [name]: otherThan(call.args[name]) };
}

function otherThan(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return `${value}-other`;
    case 'number':
      return value === 0 ? 1 : 0;
    case 'boolean':
      return !value;
    default:
      return value === null ? [] : null;
  }
}
