import { canonicalJson } from '../../core/json.ts';
import { isJoinedName } from '../../joined/names.ts';
import { beginsAsDenied, matchesArgv } from './argv.ts';
import { parseRun } from './argv-ending.ts';
import { fetchedAs } from './rule-address.ts';
import { asCallsOf, asksEachTime, kinOf, pathsOf, showsBelow, typedCommand, UNDO_TOOL } from './rule-kin.ts';
import { type Effect, matchesWhole } from './rule-pattern.ts';

/** The tool whose argument is a program. A shell decides what that argument means. */
export const TERMINAL_TOOL = 'run_in_terminal';

/** A rule's condition for one argument. A regex matches text. `any` also matches a missing argument. */
export type FieldMatch = { readonly equals: unknown } | { readonly regex: string } | { readonly any: true };

export type FieldMatches = Readonly<Record<string, FieldMatch>>;

/** A terminal command: its first words, and what may follow them. */
export interface ArgvMatch {
  readonly kind: 'argv';
  readonly argv: readonly string[];
  /** Options that may follow, word for word. One that ends in `=` may have any harmless value. */
  readonly options: readonly string[];
  readonly operands: 'none' | 'any';
  /**
   * The allowed uses of the output, such as `2>&1 | tail -20`. `any` allows everything that only reads it. If
   * left out, none is allowed.
   */
  readonly endings?: 'any' | readonly string[] | undefined;
  /** The arguments other than the command, such as the folder. The time limit may be left out. */
  readonly fields: FieldMatches;
}

export type Match =
  | { readonly kind: 'arguments'; readonly fields: FieldMatches }
  | { readonly kind: 'json'; readonly regex: string }
  | ArgvMatch
  | { readonly kind: 'any' }
  | ToolMatch;

/** A yes to a tool for a while, with any arguments. It lets dangerous calls run only in a sandbox. */
interface ToolMatch {
  readonly kind: 'tool';
  /** The open folder that it holds in. Null means any. */
  readonly root: string | null;
}

/** A rule as a person writes it: a standing answer to calls of one tool. */
export interface RuleDraft {
  /** The exact wire name. */
  readonly tool: string;
  /** The machine that it holds on. Null means any. */
  readonly machine: string | null;
  readonly effect: Effect;
  readonly match: Match;
  readonly expiresAt: number;
  readonly maxUses: number | null;
  readonly note: string;
  /** Argument objects, as JSON texts, that the rule must match and must not match. */
  readonly examples: { readonly must: readonly string[]; readonly mustNot: readonly string[] };
}

/** A saved rule. */
export interface Rule extends RuleDraft {
  readonly id: string;
  readonly uses: number;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/** A reason why a rule cannot be saved. */
export interface RuleProblem {
  readonly code: string;
  readonly message: string;
  readonly suggestion: string;
}

/** Makes a problem. */
export function ruleProblem(code: string, message: string, suggestion: string): RuleProblem {
  return { code, message, suggestion };
}

/** A call as rules see it. */
export interface RuleCall {
  readonly tool: string;
  /** The machine that it will run on, however it was chosen. Null means the gateway. */
  readonly machine: string | null;
  /** The registered name of the open folder that it works in. Null if the tool uses none. */
  readonly root: string | null;
  /** The parsed arguments with defaults. `root` is among them only if it is not the default folder. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The same arguments as RFC 8785 writes them. */
  readonly canonicalArgs: string;
  /** The files that the machine said the call would change, if its arguments name none. */
  readonly touches?: readonly { readonly path: string; readonly change: string }[];
  /** The arguments whose values nobody knows. */
  readonly unknown?: readonly string[];
}

type Matcher = Pick<RuleDraft, 'tool' | 'machine' | 'effect' | 'match'>;

/**
 * Tells if a rule applies to a call. If nobody can tell, the answer keeps the call from running by itself: an
 * allowing rule does not match, and one that asks or denies does.
 */
export function matchesRule(rule: Matcher, call: RuleCall): boolean {
  if (rule.tool !== call.tool)
    return rule.effect === 'allow' ? allowsLine(rule, call) : deniesKin(rule, call);
  if (rule.effect === 'allow' && asksEachTime(call.tool)) return false;
  if (!isForMachine(rule, call)) return false;
  const { match, effect } = rule;
  switch (match.kind) {
    case 'any':
      return true;
    case 'tool':
      return match.root === null || match.root === call.root;
    case 'arguments':
      return matchesFields(match.fields, call, effect);
    case 'json':
      if (effect !== 'allow' && (showsBelow(call) || call.unknown !== undefined)) return true;
      return matchesSpelling(match.regex, call, effect);
    case 'argv':
      return matchesCommand(match, call, effect);
  }
}

/** Tells if a no to a plainer tool speaks of something that this call would do as well. */
function deniesKin(rule: Matcher, call: RuleCall): boolean {
  if (!kinOf(call.tool).includes(rule.tool)) return false;
  if (call.tool === UNDO_TOOL && call.touches === undefined) return isForMachine(rule, call);
  const asked = asCallsOf(rule.tool, call);
  return asked.some((one) => matchesRule(rule, { ...call, ...one, canonicalArgs: canonicalJson(one.args) }));
}

/** Tells if a yes to a command is a yes to the same command as the one line that a call types to a shell. */
function allowsLine(rule: Matcher, call: RuleCall): boolean {
  const line = typedCommand(call);
  if (line?.tool !== rule.tool || rule.match.kind !== 'argv') return false;
  return matchesRule(rule, { ...call, ...line, canonicalArgs: canonicalJson(line.args) });
}

/**
 * Tells if an argument says how a call is made and not what it does, so that a rule need not name it:
 * - `idempotency_key` is new for every call, and can only bring back an outcome that was already allowed;
 * - `repeat` asks for the same thing once more, which a standing yes is a yes to;
 * - `machine` is judged by the rule's own `machine`, against the one that was really chosen.
 * A tool of another server may give these names any meaning, so there they are ordinary arguments.
 */
export function isAboutTheCall(name: string, call: Pick<RuleCall, 'tool' | 'machine' | 'args'>): boolean {
  if (isJoinedName(call.tool)) return false;
  if (name === 'machine') return isSameMachine(call.args.machine, call.machine);
  return name === 'idempotency_key' || name === 'repeat';
}

/** Tells if a rule speaks of the machine that a call runs on. */
export function isForMachine({ machine }: Pick<Rule, 'machine'>, call: Pick<RuleCall, 'machine'>): boolean {
  return machine === null || isSameMachine(machine, call.machine);
}

/** Compares names of machines without letter case. The registry has no two names that differ only in case. */
function isSameMachine(a: unknown, b: string | null): boolean {
  return a === b || (typeof a === 'string' && a.toLowerCase() === b?.toLowerCase());
}

function matchesFields(fields: FieldMatches, call: RuleCall, effect: Effect): boolean {
  // A yes covers only the arguments that its author knew. A no must not fall because of an unexpected
  // argument.
  const isCovered =
    effect !== 'allow' ||
    Object.keys(call.args).every((name) => Object.hasOwn(fields, name) || isAboutTheCall(name, call));
  const paths = pathsOf(call);
  const read = Object.hasOwn(fields, 'url') ? fetchedAs(call) : undefined;
  return (
    isCovered &&
    Object.entries(fields).every(([name, field]) =>
      name === 'path' && paths !== undefined
        ? matchesPaths(field, paths, effect)
        : name === 'url' && read !== undefined
          ? matchesAddress(field, read, call, effect)
          : mayBeAnything(name, call, effect) ||
            (name === 'path' && mayBeBelow(field, call, effect)) ||
            matchesField(field, name, placed(call), effect) ||
            namesItsMachine(field, name, call),
    )
  );
}

/** A yes has to cover every path of a call that has several. A no to any of them is a no to the call. */
function matchesPaths(field: FieldMatch, paths: readonly unknown[], effect: Effect): boolean {
  const matches = (path: unknown) => matchesField(field, 'path', { path }, effect);
  return effect === 'allow' ? paths.length > 0 && paths.every(matches) : paths.some(matches);
}

/** Tells if a no speaks of an argument whose value nobody knows. */
function mayBeAnything(name: string, { unknown }: RuleCall, effect: Effect): boolean {
  return effect !== 'allow' && unknown?.includes(name) === true;
}

/** Tells if a no to some path may speak of one that a tree shows. Nobody can list the paths that a pattern matches. */
function mayBeBelow(field: FieldMatch, call: RuleCall, effect: Effect): boolean {
  if (effect === 'allow' || !showsBelow(call)) return false;
  if (!('equals' in field)) return true;
  const top = call.args.path === '.' ? '' : `${String(call.args.path)}/`;
  return typeof field.equals === 'string' && field.equals.startsWith(top);
}

/** Tells if a field is about the machine and matches its name, in any letter case. */
function namesItsMachine(field: FieldMatch, name: string, { tool, machine }: RuleCall): boolean {
  const isAbout = name === 'machine' && machine !== null && !isJoinedName(tool);
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

/** Adds the place of the run to the arguments, so that a rule about it holds however the caller gave it. */
function placed({ tool, machine, root, args }: RuleCall): RuleCall['args'] {
  if (isJoinedName(tool)) return args;
  return { ...args, ...(machine === null ? {} : { machine }), ...(root === null ? {} : { root }) };
}

/**
 * Lists the texts that a regular expression may match: as sent, without arguments about the call, and with
 * its place.
 */
function spellings(call: RuleCall): string[] {
  const plain = Object.entries(call.args).filter(([name]) => !isAboutTheCall(name, call));
  return [call.canonicalArgs, canonicalJson(Object.fromEntries(plain)), canonicalJson(placed(call))];
}

/** A yes by a pattern has to fit an address as it was written and as it is read. For a no, either is enough. */
function matchesSpelling(regex: string, call: RuleCall, effect: Effect): boolean {
  const matches = (one: RuleCall) => spellings(one).some((args) => matchesWhole(regex, args, effect));
  const read = fetchedAs(call)?.map((url): RuleCall => {
    const args = { ...call.args, url };
    return { ...call, args, canonicalArgs: canonicalJson(args) };
  });
  if (read === undefined) return matches(call);
  return effect === 'allow' ? matches(call) && read.some(matches) : matches(call) || read.some(matches);
}

/** The same for the argument with the address. A yes to exactly one address is a yes to it however it is written. */
function matchesAddress(field: FieldMatch, read: readonly string[], call: RuleCall, effect: Effect): boolean {
  const isWritten = matchesField(field, 'url', call.args, effect);
  const isRead = () => read.some((url) => matchesField(field, 'url', { url }, effect));
  return effect === 'allow' ? isWritten && (!('regex' in field) || isRead()) : isWritten || isRead();
}

function mayEnd({ endings = [] }: ArgvMatch, ending: string): boolean {
  return ending === '' || endings === 'any' || endings.includes(ending);
}

/**
 * Arguments that a rule for commands need not name: it already matched the command, and a longer time limit
 * runs nothing else.
 */
const UNNAMED: FieldMatches = { command: { any: true }, timeout_seconds: { any: true } };

function matchesCommand(match: ArgvMatch, call: RuleCall, effect: Effect): boolean {
  const { command } = call.args;
  if (typeof command !== 'string') return effect !== 'allow';
  const parsed = parseRun(command);
  // A command that cannot be parsed does not match an allowing rule for commands either. A yes to the whole
  // terminal leaves such a command out as soon as a rule denies some command: then the owner is asked.
  if ('problem' in parsed) return false;
  // Options, operands and endings narrow a yes. In a no they would let another option lift it.
  const fits =
    effect === 'allow'
      ? matchesArgv(match, parsed.argv) && mayEnd(match, parsed.ending)
      : parsed.programs.some((words) => beginsAsDenied(match.argv, words));
  return fits && matchesFields({ ...UNNAMED, ...match.fields }, call, effect);
}
