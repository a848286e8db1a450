import { basename } from 'node:path';
import type { Confinement } from '../confine.ts';
import { findProgram } from '../environment.ts';

/** The shell's prompt. The bridge knows by it that the shell waits for a new command. */
export const PROMPT = '$ ';

/** Variables of a session besides those of every command. Only the session's program gets them: `bash` drops a prompt. */
const VARIABLES = {
  TERM: 'xterm-256color',
  PS1: PROMPT,
  PS2: '> ',
  // A shell that asks its user writes what was typed into the user's own history otherwise.
  HISTFILE: '',
  // Keys that a user has given another meaning would change what a typed line says.
  INPUTRC: '/dev/null',
  // A repo's settings can name a pager, which only runs where there is a terminal.
  PAGER: 'cat',
  GIT_PAGER: 'cat',
} as const;

/** The variable that marks the session's own shell, and by inheritance all that it starts. */
export const SHELL_MARK = 'TERMINAL_SHELL';

/** Options with which shells read no settings of their user, so that a line means what it says. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc', '--noprofile', '-i'],
  zsh: ['-f', '-i'],
  fish: ['--no-config', '-i'],
};

/** Writes the command, for `/bin/sh`, that starts a session's program. */
export function shellCommand(
  { command, shell, mark }: { readonly command?: string; readonly shell: string; readonly mark: string },
  { kind }: Pick<Confinement, 'kind'>,
): string | { readonly unavailable: string } {
  const args = command === undefined ? (PLAIN[basename(shell)] ?? ['-i']) : ['-c', command];
  const variables = Object.entries({ ...VARIABLES, [SHELL_MARK]: mark }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const started = `exec env ${[...variables, shell, ...args].map(quote).join(' ')}`;
  if (kind !== 'sandbox' || process.platform !== 'linux') return started;
  // The sandbox takes the terminal's control away, and with it Ctrl-C. `script` makes another terminal inside.
  if (!findProgram('script')) return { unavailable: 'The program `script` of util-linux is missing.' };
  return `exec script -qec ${quote(started)} /dev/null`;
}

/** Quotes a text as one word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
