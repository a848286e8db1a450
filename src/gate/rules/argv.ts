/** The words of a command line, or why nobody can tell them without running a shell. */
type ParsedCommand = { readonly argv: readonly string[] } | { readonly problem: string };

/** A longer command is a program, and a person has to read that. */
export const MAX_COMMAND_CHARS = 4_096;

/**
 * Splits a command into its words if every shell would split it alike and do nothing else with it: plain
 * words, '…' and "…". Refuses anything that a shell might act on, because a rule that allows `git status`
 * must not allow what somebody appends to it.
 */
export function parseCommand(command: string): ParsedCommand {
  const begun = parseWords(command);
  if ('problem' in begun) return begun;
  return begun.rest === '' ? { argv: begun.argv } : SHELL_SYNTAX;
}

/** The first words of a command line, and the rest: nothing, or text that begins with `2>&1` or `|`. */
type ParsedWords = { readonly argv: readonly string[]; readonly rest: string } | { readonly problem: string };

/** Reads words up to the place where the command redirects its output. */
export function parseWords(command: string): ParsedWords {
  if (command.length > MAX_COMMAND_CHARS) return refused(`is longer than ${MAX_COMMAND_CHARS} characters`);
  if (NOWHERE.test(command)) return refused('has a character that shells or people read differently');
  const argv: string[] = [];
  let rest = command.replace(/^ +/, '');
  while (rest !== '' && !SENT_ON.test(rest)) {
    const word = WORD.exec(rest);
    if (!word) return SHELL_SYNTAX;
    const [raw] = word;
    argv.push(raw.trimEnd().replace(QUOTED, '$1$2'));
    rest = rest.slice(raw.length);
  }
  const [program = ''] = argv;
  if (program === '') return refused('names no program');
  if (program.includes('=') || RESERVED.has(program) || program.startsWith('-')) {
    return refused(`begins with \`${program}\`, which a shell does not take for a program`);
  }
  return { argv, rest };
}

function refused(why: string): { readonly problem: string } {
  return { problem: `The command ${why}.` };
}

const SHELL_SYNTAX = refused('has shell syntax, such as operators, expansions or an open quote');

/** A sign that redirects output. It must be a word by itself: `2>&1x` and `|&` mean something else. */
const SENT_ON = /^(?:2>&1|\|)(?: |$)/;

/**
 * Characters that no rule accepts, because shells disagree on them or people cannot see them:
 * - backslash: escapes in double quotes for sh, in single quotes too for fish
 * - `!`: history in csh, even between single quotes
 * - typographic quotes: quotes for PowerShell
 * - control and format characters: invisible to the person who approves
 */
const NOWHERE = /[\\!\u2018-\u201f\u2028\u2029\p{C}]/u;

/**
 * A plain character. Excludes `%` and `^`, which old fish acts on, and all beyond ASCII, where shells
 * disagree.
 */
const PLAIN = '[\\w./:@+,=-]';
const QUOTES = `'[^']*'|"[^"$\`]*"`;
/** The next word and the spaces after it. In zsh a leading `=` looks up a path, also behind empty quotes. */
const WORD = new RegExp(`^(?!(?:''|"")*=)(?:${PLAIN}|${QUOTES})+(?: +|$)`);
const QUOTED = /'([^']*)'|"([^"]*)"/g;

/** Words that begin a construct in some shell where a program would stand. */
const RESERVED = new Set(
  'if then else elif fi case esac for foreach while until do done in select function coproc time repeat end begin switch and or not nocorrect noglob'.split(
    ' ',
  ),
);

/** The first words of a command, and the words that may follow them. */
interface ArgvPattern {
  readonly argv: readonly string[];
  readonly options: readonly string[];
  readonly operands: 'none' | 'any';
}

/** Tells if a command begins with these words. */
function startsWithWords(words: readonly string[], argv: readonly string[]): boolean {
  return words.every((word, index) => argv[index] === word);
}

/**
 * Tells if a command begins with the words of a no. The program matches in any letter case, because most Macs find it in
 * any, and under any path to it, unless the no names a path itself.
 */
export function beginsAsDenied([denied = '', ...words]: readonly string[], argv: readonly string[]): boolean {
  const [program = '', ...rest] = argv;
  const name = denied.includes('/') ? program : program.slice(program.lastIndexOf('/') + 1);
  return name.toLowerCase() === denied.toLowerCase() && startsWithWords(words, rest);
}

/** Tells if a command begins with a pattern's words and goes on only with what the pattern lists. */
export function matchesArgv(pattern: ArgvPattern, argv: readonly string[]): boolean {
  if (!startsWithWords(pattern.argv, argv)) return false;
  // After `--` nothing is an option any more, so a word that looks like one is refused.
  let optionsEnded = pattern.argv.includes('--');
  return argv.slice(pattern.argv.length).every((word) => {
    if (word.startsWith('-') && !optionsEnded) {
      optionsEnded = word === '--';
      return optionsEnded ? pattern.operands === 'any' : isListed(word, pattern.options);
    }
    return pattern.operands === 'any' && !word.startsWith('-') && isHarmless(word);
  });
}

/** Compares the whole word, or its name up to the `=` if it has a value. A bundle like `-abc` is one word. */
function isListed(word: string, options: readonly string[]): boolean {
  if (options.includes(word)) return true;
  const nameEnd = word.indexOf('=') + 1;
  return word.startsWith('--') && nameEnd > 0 && options.includes(word.slice(0, nameEnd)) && isHarmless(word);
}

/**
 * Refuses words that lead out of the working directory, even in a part (`of=/dev/sda`, `HEAD:../x`), or hide
 * something.
 */
function isHarmless(word: string): boolean {
  return !/\p{C}|(?:^|[=:,@])(?:[/\\]|~)|(?:^|[=:,@/\\])\.\.(?:$|[/\\])/u.test(word);
}
