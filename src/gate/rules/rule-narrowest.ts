import { canonicalJson } from '../../core/json.ts';
import { parseRun } from './argv-ending.ts';
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
import { escaped } from './rule-escape.ts';
import { pathsOf } from './rule-kin.ts';
import { argvProblem } from './rule-launchers.ts';

/** The time that an "always" lasts. */
export const ALWAYS_MS = 30 * 24 * 60 * 60 * 1_000;

type NarrowestRule =
  | { readonly ok: true; readonly draft: RuleDraft }
  | { readonly ok: false; readonly problem: RuleProblem };

/**
 * Makes the narrowest rule that lets a call run again: this command on this machine, or this file with any
 * content. It leaves content out, because the same content does not come again.
 */
export function narrowestRule(asked: RuleCall, now: number): NarrowestRule {
  const call = withoutContent(withRoot(asked));
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

/** Adds the folder even if it is the default, because another folder can become the default. */
export function withRoot(call: RuleCall): RuleCall {
  if (call.root === null) return call;
  const args = { ...call.args, root: call.root };
  return { ...call, args, canonicalArgs: canonicalJson(args) };
}

/** Arguments that hold written content. A repeat of the call has the same other arguments. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  create_file: ['content'],
  replace_string_in_file: ['old_string', 'new_string'],
  write_memory_entry: ['entry'],
  // One argument holds the edits and their files. A rule names the files by themselves.
  edit_files: ['edits'],
};

function isContent(name: string, { tool }: Pick<RuleCall, 'tool'>): boolean {
  return Object.hasOwn(CONTENT, tool) && CONTENT[tool]?.includes(name) === true;
}

/** Leaves the content out, because examples are no place for megabytes. */
function withoutContent(call: RuleCall): RuleCall {
  const entries = Object.entries(call.args);
  if (!entries.some(([name]) => isContent(name, call))) return call;
  const args = Object.fromEntries(
    entries.map(([name, value]) => [name, isContent(name, call) ? (editsOnly(value) ?? '…') : value]),
  );
  return { ...call, args, canonicalArgs: canonicalJson(args) };
}

/** Reduces several edits to their operations and their files. */
function editsOnly(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  return value.map(({ op, path, to }) => ({ op, path, ...(to === undefined ? {} : { to }) }));
}

function exactArguments(call: RuleCall): Match {
  return { kind: 'arguments', fields: exactFields(call) };
}

/** Gives a match for each argument of a call, by its value. */
export function exactFields(call: RuleCall): FieldMatches {
  // Include the folder even if it is the default, because another folder can become the default.
  const args = call.root === null ? call.args : { ...call.args, root: call.root };
  const entries = Object.entries(args).filter(([name]) => !isAboutTheCall(name, call));
  const fields: FieldMatches = Object.fromEntries(
    entries.map(([name, value]) => [name, isContent(name, call) ? { any: true } : { equals: value }]),
  );
  const paths = pathsOf(call);
  return paths === undefined ? fields : { ...fields, path: { regex: onlyThese(paths) } };
}

function onlyThese(paths: readonly unknown[]): string {
  const names = [...new Set(paths)].map((path) => String(path).replace(/[^\w/-]/gu, escaped));
  return `^(?:${names.join('|')})$`;
}

function exactCommand(call: RuleCall): Match | RuleProblem {
  const { command, ...fields } = exactFields(call);
  const parsed = parseRun(String(call.args.command));
  if ('problem' in parsed) {
    return ruleProblem(
      'shell_syntax',
      `A rule cannot allow this command. ${parsed.problem}`,
      'Approve it this once, or have the command written plainly: a program and its words.',
    );
  }
  const { argv, ending } = parsed;
  const endings = ending === '' ? {} : { endings: [ending] };
  const match = { kind: 'argv', argv, options: [], operands: 'none', ...endings, fields } as const;
  return argvProblem(match) ?? match;
}

/** Makes a call that is nearly the same, to show that the rule does not match it. */
function nearbyArguments(call: RuleCall): RuleCall['args'] {
  const name = Object.keys(call.args).find((key) => !isAboutTheCall(key, call) && !isContent(key, call));
  // A tool without arguments has no other call, so use a call with one argument too many.
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
