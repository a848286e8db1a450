import { canonicalJson } from '../../core/json.ts';
import { matchesArgv, startsWithWords } from './argv.ts';
import { parseRun } from './argv-ending.ts';
import { type Effect, matchesWhole } from './rule-pattern.ts';

/** The tool whose argument is a program: what it is given means whatever a shell makes of it. */
export const TERMINAL_TOOL = 'run_in_terminal';

/** What a rule says of one argument. A regex speaks of text; `any` also of an argument left out. */
export type FieldMatch = { readonly equals: unknown } | { readonly regex: string } | { readonly any: true };

export type FieldMatches = Readonly<Record<string, FieldMatch>>;

/** A terminal command known by its first words, and what may follow them. */
export interface ArgvMatch {
  readonly kind: 'argv';
  readonly argv: readonly string[];
  /** Options that may follow, word for word; one that ends in `=` may have any harmless value. */
  readonly options: readonly string[];
  readonly operands: 'none' | 'any';
  /**
   * What may be done with the output, such as `2>&1 | tail -20`; `any` is everything that only reads it. Left out:
   * nothing may.
   */
  readonly endings?: 'any' | readonly string[] | undefined;
  /** The arguments beside the command, such as the folder; the time it may take need not be named. */
  readonly fields: FieldMatches;
}

export type Match =
  | { readonly kind: 'arguments'; readonly fields: FieldMatches }
  | { readonly kind: 'json'; readonly regex: string }
  | ArgvMatch
  | { readonly kind: 'any' }
  | ToolMatch;

/** A yes to a tool for a while, whatever its arguments; what is dangerous only runs by it in a sandbox. */
export interface ToolMatch {
  readonly kind: 'tool';
  /** The open folder that it holds in; null is any. */
  readonly root: string | null;
}

/** A rule as a person writes it: a standing answer to calls of one tool. */
export interface RuleDraft {
  /** The wire name, exactly. */
  readonly tool: string;
  /** Where it holds; null is anywhere. */
  readonly machine: string | null;
  readonly effect: Effect;
  readonly match: Match;
  readonly expiresAt: number;
  readonly maxUses: number | null;
  readonly note: string;
  /** Argument objects, as JSON texts, that the rule must and must not match. */
  readonly examples: { readonly must: readonly string[]; readonly mustNot: readonly string[] };
}

/** A rule that was saved. */
export interface Rule extends RuleDraft {
  readonly id: string;
  readonly uses: number;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/** What stands in the way of saving a rule. */
export interface RuleProblem {
  readonly code: string;
  readonly message: string;
  readonly suggestion: string;
}

/** A problem, its code first. */
export function ruleProblem(code: string, message: string, suggestion: string): RuleProblem {
  return { code, message, suggestion };
}

/** A call as rules see it. */
export interface RuleCall {
  readonly tool: string;
  /** The machine it will run on, however that was chosen; null is the gateway. */
  readonly machine: string | null;
  /** The open folder it works in, by its registered name; null where a tool has none. */
  readonly root: string | null;
  /** Parsed, with defaults filled in. `root` is among them only where it is another folder than the default. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The same as RFC 8785 writes it. */
  readonly canonicalArgs: string;
}

type Matcher = Pick<RuleDraft, 'tool' | 'machine' | 'effect' | 'match'>;

/**
 * Whether a rule speaks of a call. Where that can't be told, the answer is the one that keeps the call
 * from running by itself: an allowing rule does not match, one that asks or denies does.
 */
export function matchesRule(rule: Matcher, call: RuleCall): boolean {
  if (rule.tool !== call.tool) return false;
  if (rule.machine !== null && !isSameMachine(rule.machine, call.machine)) return false;
  const { match, effect } = rule;
  switch (match.kind) {
    case 'any':
      return true;
    case 'tool':
      return match.root === null || match.root === call.root;
    case 'arguments':
      return matchesFields(match.fields, call, effect);
    case 'json':
      return spellings(call).some((args) => matchesWhole(match.regex, args, effect));
    case 'argv':
      return matchesCommand(match, call, effect);
  }
}

/**
 * Arguments that say how a call is made and not what it does, so that a rule need not name them:
 * - `idempotency_key` is new for every call, and can only bring back an outcome that was already allowed;
 * - `repeat` asks for the same thing once more, which a standing yes is a yes to;
 * - `machine` is judged by the rule's own `machine`, against the one that was really chosen.
 * Tools of other servers may mean anything by these words, so there they are ordinary.
 */
export function isAboutTheCall(name: string, call: Pick<RuleCall, 'tool' | 'machine' | 'args'>): boolean {
  if (isForeign(call.tool)) return false;
  if (name === 'machine') return isSameMachine(call.args.machine, call.machine);
  return name === 'idempotency_key' || name === 'repeat';
}

/** People write a machine's name in any case, and the registry has no two names that differ by it alone. */
function isSameMachine(a: unknown, b: string | null): boolean {
  return a === b || (typeof a === 'string' && a.toLowerCase() === b?.toLowerCase());
}

/** Whether a tool is another server's, offered as `server__tool`. */
export function isForeign(tool: string): boolean {
  return tool.includes('__');
}

function matchesFields(fields: FieldMatches, call: RuleCall, effect: Effect): boolean {
  // A yes covers what was thought of when it was given. A no that an unforeseen argument could lift is none.
  const isCovered =
    effect !== 'allow' ||
    Object.keys(call.args).every((name) => Object.hasOwn(fields, name) || isAboutTheCall(name, call));
  return (
    isCovered &&
    Object.entries(fields).every(
      ([name, field]) =>
        matchesField(field, name, placed(call), effect) || namesItsMachine(field, name, call),
    )
  );
}

/** Whether a field is about the machine, written as people write its name. */
function namesItsMachine(field: FieldMatch, name: string, { tool, machine }: RuleCall): boolean {
  const isAbout = name === 'machine' && machine !== null && !isForeign(tool);
  return isAbout && 'equals' in field && isSameMachine(field.equals, machine);
}

function matchesField(field: FieldMatch, name: string, args: RuleCall['args'], effect: Effect): boolean {
  if ('any' in field) return true;
  if (!Object.hasOwn(args, name)) return false;
  const value = args[name];
  if ('equals' in field) return isSame(field.equals, value);
  return typeof value === 'string' ? matchesWhole(field.regex, value, effect) : effect !== 'allow';
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** The arguments with the place they run in written out, so that a rule about it holds however the caller put it. */
function placed({ tool, machine, root, args }: RuleCall): RuleCall['args'] {
  if (isForeign(tool)) return args;
  return { ...args, ...(machine === null ? {} : { machine }), ...(root === null ? {} : { root }) };
}

/** The texts that a regular expression may speak of: as sent, without what is about the call, and with its place. */
function spellings(call: RuleCall): string[] {
  const plain = Object.entries(call.args).filter(([name]) => !isAboutTheCall(name, call));
  return [call.canonicalArgs, canonicalJson(Object.fromEntries(plain)), canonicalJson(placed(call))];
}

function mayEnd({ endings = [] }: ArgvMatch, ending: string): boolean {
  return ending === '' || endings === 'any' || endings.includes(ending);
}

/** Of a command's arguments, those that a rule need not name: it has matched the words, and waiting longer runs nothing else. */
const UNNAMED: FieldMatches = { command: { any: true }, timeout_seconds: { any: true } };

function matchesCommand(match: ArgvMatch, call: RuleCall, effect: Effect): boolean {
  const { command } = call.args;
  if (typeof command !== 'string') return effect !== 'allow';
  const parsed = parseRun(command);
  // What can't be parsed matches no rule for commands that allows either, and a yes to the whole terminal leaves it
  // out as soon as there is a no to some command: the owner is asked about it.
  if ('problem' in parsed) return false;
  // Options, operands and endings narrow a yes. A no that another option could lift would be none.
  const fits =
    effect === 'allow'
      ? matchesArgv(match, parsed.argv) && mayEnd(match, parsed.ending)
      : parsed.programs.some((words) => startsWithWords(match.argv, words));
  return fits && matchesFields({ ...UNNAMED, ...match.fields }, call, effect);
}
