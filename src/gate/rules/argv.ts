/** The words of a command line, or why they can't be told without running a shell. */
export type ParsedCommand = { readonly argv: readonly string[] } | { readonly problem: string };

/** Longer commands are programs, and those are read by a person. */
export const MAX_COMMAND_CHARS = 4_096;

/**
 * Splits a command into its words, if every shell would split it alike and do nothing else with it:
 * plain words, '…' and "…". Anything that a shell might act on is refused, because a rule that
 * allows `git status` must not allow what somebody hangs on to it.
 */
export function parseCommand(command: string): ParsedCommand {
  const begun = parseWords(command);
  if ('problem' in begun) return begun;
  return begun.rest === '' ? { argv: begun.argv } : SHELL_SYNTAX;
}

/** The first words of a command line, and what follows them: nothing, or what begins with `2>&1` or `|`. */
export type ParsedWords =
  | { readonly argv: readonly string[]; readonly rest: string }
  | { readonly problem: string };

/** Reads words up to where the output is sent on. */
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

/** Each a word by itself: `2>&1x` and `|&` mean something else. */
const SENT_ON = /^(?:2>&1|\|)(?: |$)/;

/**
 * - backslash: escapes in double quotes for sh, in single quotes too for fish
 * - `!`: history in csh, even between single quotes
 * - typographic quotes: quotes for PowerShell
 * - control and format characters: unseen by whoever approves
 */
const NOWHERE = /[\\!\u2018-\u201f\u2028\u2029\p{C}]/u;

/** A plain character. Not `%` or `^`, which old fish acts on, and nothing beyond ASCII, where shells disagree on spaces. */
const PLAIN = '[\\w./:@+,=-]';
const QUOTES = `'[^']*'|"[^"$\`]*"`;
/** The next word and the spaces after it. A leading `=` is a path lookup in zsh. */
const WORD = new RegExp(`^(?!=)(?:${PLAIN}|${QUOTES})+(?: +|$)`);
const QUOTED = /'([^']*)'|"([^"]*)"/g;

/** Words that begin a construct, in some shell, where a program would stand. */
const RESERVED = new Set(
  'if then else elif fi case esac for foreach while until do done in select function coproc time repeat end begin switch and or not nocorrect noglob'.split(
    ' ',
  ),
);

/** What may follow the first words of a command. */
export interface ArgvPattern {
  readonly argv: readonly string[];
  readonly options: readonly string[];
  readonly operands: 'none' | 'any';
}

/** Whether a command begins with these words. */
export function startsWithWords(words: readonly string[], argv: readonly string[]): boolean {
  return words.every((word, index) => argv[index] === word);
}

/** Whether a command begins with a pattern's words and goes on with nothing but what the pattern lists. */
export function matchesArgv(pattern: ArgvPattern, argv: readonly string[]): boolean {
  if (!startsWithWords(pattern.argv, argv)) return false;
  // After `--` nothing is an option any more, so nothing that looks like one is let through.
  let optionsEnded = pattern.argv.includes('--');
  return argv.slice(pattern.argv.length).every((word) => {
    if (word.startsWith('-') && !optionsEnded) {
      optionsEnded = word === '--';
      return optionsEnded ? pattern.operands === 'any' : isListed(word, pattern.options);
    }
    return pattern.operands === 'any' && !word.startsWith('-') && isHarmless(word);
  });
}

/** Listed word for word; or, if it has a value, by its name up to the `=`. Bundles like `-abc` are words too. */
function isListed(word: string, options: readonly string[]): boolean {
  if (options.includes(word)) return true;
  const nameEnd = word.indexOf('=') + 1;
  return word.startsWith('--') && nameEnd > 0 && options.includes(word.slice(0, nameEnd)) && isHarmless(word);
}

/** Not a way out of the working directory, not even as a part (`of=/dev/sda`, `HEAD:../x`), and nothing unseen. */
function isHarmless(word: string): boolean {
  return !/\p{C}|(?:^|[=:,@])(?:[/\\]|~)|(?:^|[=:,@/\\])\.\.(?:$|[/\\])/u.test(word);
}
