import { canonicalJson } from '../../core/json.ts';
import { isEnding } from './argv-ending.ts';
import {
  type ArgvMatch,
  type FieldMatch,
  type FieldMatches,
  ruleProblem as problem,
  type RuleDraft,
  type RuleProblem,
} from './rule.ts';
import { exampleProblems } from './rule-examples.ts';
import { jsonProblem } from './rule-json-regex.ts';
import { asksEachTime, isLasting } from './rule-kin.ts';
import { argvProblem } from './rule-launchers.ts';
import { parseRegex } from './rule-regex.ts';

/** The facts outside a rule that its check needs. */
interface RuleSurroundings {
  toolExists(tool: string): boolean;
  /** Tells if the tool runs commands. */
  isTerminal(tool: string): boolean;
  readonly now: number;
}

type CheckedRule =
  | { readonly ok: true; readonly draft: RuleDraft }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] };

const DAY = 24 * 60 * 60 * 1_000;

export const MAX_RULE_AGE_MS = 365 * DAY;

/** The longest time for a yes to a whole tool. */
export const MAX_TOOL_RULE_MS = 30 * DAY;

/** People read a rule, and every call reads it again, so it is no place for the content of a file. */
export const MAX_RULE_CHARS = 65_536;

/** Checks if a rule may be saved. Loading saved rules asks again. Reports all problems at once. */
export function checkRule(draft: RuleDraft, surroundings: RuleSurroundings): CheckedRule {
  const problems = [
    ...toolProblems(draft, surroundings),
    ...limitProblems(draft, surroundings.now),
    ...matchProblems(draft),
  ];
  // Only now, because the examples of a refused pattern would report the same problem again.
  if (problems.length === 0) problems.push(...sizeProblems(draft), ...exampleProblems(draft));
  return problems.length === 0 ? { ok: true, draft } : { ok: false, problems };
}

function* toolProblems({ tool, effect, match }: RuleDraft, { toolExists, isTerminal }: RuleSurroundings) {
  if (!toolExists(tool)) {
    yield problem('unknown_tool', `There is no tool called \`${tool}\`.`, 'Use the exact name of a tool.');
  } else if (match.kind === 'argv' && !isTerminal(tool)) {
    yield problem(
      'not_a_terminal',
      `\`${tool}\` does not run commands.`,
      'Say what its arguments may be instead.',
    );
  }
  if (effect === 'allow' && asksEachTime(tool)) {
    yield problem(
      'asks_each_time',
      `No rule can allow \`${tool}\`.`,
      !isLasting(tool)
        ? 'Approve each call: its diff shows what it would do.'
        : 'Write a rule for `run_in_terminal`: it also allows the same command as a line in a lasting terminal.',
    );
  }
  if (effect === 'allow' && match.kind === 'any') {
    yield problem(
      'allows_anything',
      'A rule cannot allow a tool whatever its arguments.',
      'Say what the arguments may be.',
    );
  } else if (effect !== 'allow' && match.kind === 'tool') {
    yield problem(
      'tool_is_a_yes',
      'Only a rule that allows can cover a whole tool in this way.',
      'Use `any` for a rule that asks or denies whatever the arguments.',
    );
  } else if (effect === 'allow' && isTerminal(tool) && match.kind !== 'argv' && match.kind !== 'tool') {
    yield problem(
      'terminal_needs_argv',
      'A command cannot be allowed by its text: a shell finds more in it than a pattern does.',
      'Give the first words of the command, with the options and operands that may follow.',
    );
  }
}

function* limitProblems(draft: RuleDraft, now: number) {
  const { expiresAt, maxUses, effect, match } = draft;
  if (!(expiresAt > now)) {
    yield problem('expired', 'The rule would end before it begins.', 'Set an expiry in the future.');
  } else if (expiresAt > now + MAX_RULE_AGE_MS) {
    yield problem(
      'expires_too_late',
      'A rule can hold for a year at most.',
      'Set an expiry within 365 days.',
    );
  } else if (match.kind === 'tool' && expiresAt > now + MAX_TOOL_RULE_MS) {
    yield problem(
      'expires_too_late',
      'A yes to a whole tool can hold for 30 days at most.',
      'Set an expiry within 30 days.',
    );
  }
  if (maxUses !== null && !(Number.isSafeInteger(maxUses) && maxUses >= 1)) {
    yield problem('bad_max_uses', 'The number of uses must be 1 or more.', 'Leave it out for no limit.');
  } else if (maxUses !== null && effect !== 'allow') {
    yield problem(
      'no_wears_out',
      'A rule that asks or denies cannot be used up: a denied caller would only have to try again.',
      'Leave out the number of uses; the expiry ends the rule.',
    );
  }
}

function* sizeProblems(draft: RuleDraft) {
  if (JSON.stringify(draft).length > MAX_RULE_CHARS) {
    yield problem(
      'rule_too_large',
      `The rule has more than ${MAX_RULE_CHARS} characters.`,
      'Match long values by a pattern, and shorten the examples.',
    );
  }
}

function matchProblems({ match, effect }: RuleDraft): Iterable<RuleProblem> {
  switch (match.kind) {
    case 'any':
    case 'tool':
      return [];
    case 'json':
      return regexProblems(match.regex, effect === 'allow');
    case 'arguments':
      return [...fieldProblems(match.fields), ...(effect === 'allow' ? [] : blanketProblems(match.fields))];
    case 'argv':
      return [...commandProblems(match, effect === 'allow'), ...fieldProblems(match.fields)];
  }
}

function* regexProblems(regex: string, isJson: boolean) {
  const parsed = parseRegex(regex);
  if ('problem' in parsed) {
    yield parsed.problem;
    return;
  }
  const found = isJson && jsonProblem(regex, parsed.pieces);
  if (found) yield found;
}

function* fieldProblems(fields: FieldMatches) {
  for (const [name, field] of Object.entries(fields)) {
    const found = 'regex' in field ? [...regexProblems(field.regex, false)] : equalsProblems(field);
    for (const { message, ...rest } of found) yield { ...rest, message: `\`${name}\`: ${message}` };
  }
}

/**
 * Refuses a no without arguments. Arguments that a no does not name do not matter, so it would deny every
 * call.
 */
function blanketProblems(fields: FieldMatches): RuleProblem[] {
  if (Object.keys(fields).length > 0) return [];
  return [problem('empty_pattern', 'The rule names no argument.', 'Use `any` if it is for every call.')];
}

function equalsProblems(field: FieldMatch): RuleProblem[] {
  try {
    if ('equals' in field) canonicalJson(field.equals);
    return [];
  } catch {
    return [problem('bad_value', 'This value has no JSON form.', 'Give a value that JSON can hold.')];
  }
}

function* commandProblems(match: ArgvMatch, allows: boolean) {
  const [program] = match.argv;
  if (!program) {
    yield problem('empty_argv', 'The rule names no program.', 'Give at least the first word of the command.');
  } else if (allows) {
    const found = argvProblem(match);
    if (found) yield found;
    const strange = match.endings === 'any' ? undefined : match.endings?.find((one) => !isEnding(one));
    if (strange !== undefined) {
      yield problem(
        'bad_ending',
        `\`${strange}\` does more with the output than read it.`,
        'Give endings such as `2>&1 | tail -20`, with `cat`, `head`, `tail`, `grep` and `wc` alone.',
      );
    }
  } else if (match.options.length > 0 || match.operands === 'none' || match.endings !== undefined) {
    yield problem(
      'narrowed_no',
      'A rule that asks or denies holds for every command that begins with its words, whatever follows.',
      'Leave the options empty and let the operands be any.',
    );
  }
}
