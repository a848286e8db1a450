import type { Risk } from '../../../contracts/contract.ts';
import { canonicalJson } from '../../core/json.ts';
import { visible } from '../../core/visible.ts';
import { parseRun } from './argv-ending.ts';
import { type Match, type RuleCall, type RuleDraft, type RuleProblem, TERMINAL_TOOL } from './rule.ts';
import { checkRule } from './rule-check.ts';
import { editsBelow, folderOf, isEdit } from './rule-edits.ts';
import { isLasting, pathsOf, typedCommand, UNDO_TOOL } from './rule-kin.ts';
import { exactFields, narrowestRule, withRoot } from './rule-narrowest.ts';
import { draftOf, none, placeOf, quoted, type Until } from './rule-width-parts.ts';

/** The widths of an "always", the narrowest first. */
export const WIDTHS = ['exact', 'like', 'tool', 'folder'] as const;
export type Width = (typeof WIDTHS)[number];

const HOUR = 3_600_000;
/** The times for which it may hold. */
export const LASTS = { hour: HOUR, day: 24 * HOUR, month: 30 * 24 * HOUR } as const;
export type Lasts = keyof typeof LASTS;

/** A waiting call, with the facts that decide how far a yes to it may reach. */
export interface AlwaysCall extends RuleCall {
  readonly risk: Risk;
  /** True if the preview showed that it would run in a sandbox. */
  readonly sandboxed: boolean;
}

/** The rules of a width and, in plain words, what they allow; or why there are none. */
export type WidthRules =
  | { readonly words: string; readonly drafts: readonly RuleDraft[] }
  | { readonly problem: RuleProblem };

/** Makes the rules that "always" writes for a call, at that width. */
export function rulesOfWidth(width: Width, asked: AlwaysCall, lasts: Lasts, now: number): WidthRules {
  if (asked.tool === UNDO_TOOL)
    return none('asks_each_time', 'Every undo is different, so Bowline asks each time.');
  const line = isLasting(asked.tool) ? typedCommand(asked) : asked;
  if (!line)
    return none(
      'asks_each_time',
      'Bowline asks each time about a lasting terminal, except for single commands.',
    );
  if (line !== asked && (width === 'tool' || width === 'folder'))
    return none('no_such_width', 'Only a rule for commands can allow a typed line.');
  const typed = line === asked ? asked : { ...asked, ...line, canonicalArgs: canonicalJson(line.args) };
  const call = { ...typed, ...withRoot(typed) };
  const expiresAt = now + LASTS[lasts];
  const made = MAKERS[width](call, { expiresAt, now });
  if ('problem' in made) return made;
  for (const draft of made.drafts) {
    const checked = checkRule(draft, {
      toolExists: () => true,
      isTerminal: (tool) => tool === TERMINAL_TOOL,
      now,
    });
    const [problem] = checked.ok ? [] : checked.problems;
    if (problem) return { problem };
  }
  return made;
}

const MAKERS: Readonly<Record<Width, (call: AlwaysCall, until: Until) => WidthRules>> = {
  exact: (call, { expiresAt, now }) => {
    const narrowest = narrowestRule(call, now);
    if (!narrowest.ok) return narrowest;
    return { words: exactWords(call), drafts: [{ ...narrowest.draft, expiresAt }] };
  },
  like: (call, until) => {
    if (call.tool === TERMINAL_TOOL) return likeCommand(call, until);
    if (isEdit(call)) return editsBelow(call, folderOf(call), until);
    return none('no_such_width', 'No rule fits between this one call and the whole tool.');
  },
  tool: (call, until) => {
    const { tool, machine, risk, sandboxed } = call;
    if (risk === 'dangerous' && !sandboxed) {
      return none('needs_sandbox', 'This is dangerous outside a sandbox, so Bowline asks each time.');
    }
    const what = tool === TERMINAL_TOOL ? 'Any command in the sandbox' : `All of ${quoted(tool)}`;
    const words = `${what}${machine === null ? '' : ` on ${visible(machine, 64)}`}`;
    return { words, drafts: [draftOf(call, { kind: 'tool', root: null }, until)] };
  },
  folder: (call, until) => {
    const { root, tool, sandboxed } = call;
    if (root === null || !(isEdit(call) || tool === TERMINAL_TOOL)) {
      return none('no_such_width', 'This call does not work in an open folder.');
    }
    if (tool === TERMINAL_TOOL && !sandboxed) {
      return none(
        'needs_sandbox',
        'Commands on this machine run without a sandbox, so Bowline asks each time.',
      );
    }
    const edits = editsBelow(call, '', until);
    if ('problem' in edits) return edits;
    const commands = draftOf({ ...call, tool: TERMINAL_TOOL }, { kind: 'tool', root }, until);
    return {
      words: `${edits.words}, and commands that start there, in a sandbox, which can change every open folder`,
      drafts: [...edits.drafts, commands],
    };
  },
};

/** Any subcommand, or none: the program only reads, or builds and tests what is there. */
const ALL = 'all';

/**
 * Programs, with their subcommands, that other arguments do not turn into something else. Elsewhere an option or a
 * name may run a program or destroy something, which the words of a yes would not say.
 */
const KNOWN = new Map<string, ReadonlySet<string> | typeof ALL>([
  ['git', new Set(['status', 'diff', 'log', 'show', 'add', 'commit', 'blame', 'shortlog'])],
  ['npm', new Set(['test', 'ls', 'outdated', 'view'])],
  ['pnpm', new Set(['test', 'ls', 'outdated', 'view'])],
  ['yarn', new Set(['test'])],
  ['cargo', new Set(['test', 'build', 'check', 'clippy', 'fmt', 'doc'])],
  ['go', new Set(['test', 'build', 'vet', 'fmt', 'list', 'doc'])],
  ['docker', new Set(['ps', 'images', 'logs'])],
  ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'rg', 'du', 'df', 'stat', 'file', 'diff'].map(all),
  ...['pytest', 'tsc', 'eslint', 'prettier', 'biome', 'vitest', 'jest', 'mypy', 'ruff', 'black'].map(all),
]);

function all(program: string): [string, typeof ALL] {
  return [program, ALL];
}

/** Parts of the names of options that run a program, load code or settings, or write somewhere. */
const ACTING_WORDS = (
  'exec run config plugin load require import setup transform format resolve preset env program cmd command shell hook ' +
  'template out write fix delete remove force textconv ext pre host rules root report proxy amend author file vettool'
).split(' ');
/** Short options that do so in some of the programs above. */
const ACTING_LETTERS = new Set('xeoOprcfdRi');

function acts(option: string): boolean {
  // As a rule writes it, an option that ends in `=` stands for any value.
  if (option.endsWith('=')) return true;
  const name = (option.split('=')[0] ?? '').toLowerCase();
  return (
    ACTING_WORDS.some((word) => name.includes(word)) ||
    (/^-\w$/.test(option) && ACTING_LETTERS.has(option.charAt(1)))
  );
}

const MOST_OPTIONS = 6;

/** Allows the same program and subcommand with other names, and with the options of this call. */
function likeCommand(call: AlwaysCall, until: Until): WidthRules {
  const parsed = parseRun(String(call.args.command));
  if ('problem' in parsed) return none('shell_syntax', `A rule cannot allow this command. ${parsed.problem}`);
  const [program = '', second = ''] = parsed.argv;
  const known = KNOWN.get(program);
  const argv = known === ALL ? [program] : [program, second];
  if (!known || (known !== ALL && !known.has(second)))
    return none('not_known', `${quoted(argv.join(' '))} can do something else with other arguments.`);
  const follows = parsed.argv.slice(argv.length);
  const options = [...new Set(follows.filter((word) => /^--?[^-\s]\S*$/.test(word)))];
  const acting = options.find(acts);
  if (acting !== undefined)
    return none('acting_option', `${quoted(program)} can do something else with ${quoted(acting)}.`);
  if (options.length > MOST_OPTIONS)
    return none('many_options', 'It has more options than fit into one sentence.');
  const { command: _, timeout_seconds: __, ...fields } = exactFields(call);
  const match: Match = { kind: 'argv', argv, options, operands: 'any', endings: 'any', fields };
  const other = { ...call.args, command: `other-${program}` };
  const examples = { must: [call.canonicalArgs], mustNot: [canonicalJson(other)] };
  const also = options.length === 0 ? '' : `, also with ${options.map(quoted).join(', ')}`;
  return {
    words: `${quoted(argv.join(' '))} with other arguments${also}${startOf(call)}${placeOf(call)}`,
    drafts: [draftOf(call, match, until, examples)],
  };
}

function exactWords(call: AlwaysCall): string {
  const { path, file, command } = call.args;
  if (call.tool === TERMINAL_TOOL)
    return `Exactly ${quoted(String(command))}${startOf(call)}${placeOf(call)}`;
  const paths = pathsOf(call)?.map((one) => quoted(String(one)));
  if (paths)
    return `${quoted(call.tool)} of ${[...new Set(paths)].join(', ')}, whatever it does with them${placeOf(call)}`;
  if (isEdit(call))
    return `${quoted(call.tool)} of ${quoted(String(path))}${call.tool === 'create_directory' ? '' : ', with any content'}${placeOf(call)}`;
  if (call.tool === 'write_memory_entry') return `Entries of ${quoted(String(file))}`;
  return `Exactly this call${placeOf(call)}`;
}

/** Says in which folder below the open one a command runs. A rule that names none holds for the open folder alone. */
function startOf({ args }: RuleCall): string {
  return typeof args.cwd === 'string' ? ` in the folder ${quoted(args.cwd)}` : '';
}
