import { basename } from 'node:path';
import { parseRun } from '../../../../src/gate/rules/argv-ending.ts';
import { findProgram } from '../environment.ts';

/** Shells whose own commands are known here. */
const SHELLS = new Set(['bash', 'zsh', 'sh', 'dash']);

/** A shell's own commands that change nothing later lines depend on. The folder is compared before each line anyway. */
const HARMLESS = new Set(['cd', 'echo', 'false', 'pwd', 'true']);

/**
 * Names that are found as programs too, but that a shell runs itself, and programs that change the keys of the terminal.
 * Anything that is no program at all counts as the shell's own without being listed.
 */
const CHANGING = new Set(
  (
    '. .. [ alias bg bind break builtin bye chdir command continue coproc declare dirs disable disown echotc echoti emulate ' +
    'enable env eval exec exit export fc fg float getopts hash history integer jobs kill let limit local log logout ' +
    'nice nohup popd print printf private pushd read readonly rehash repeat reset return script set setopt shift shopt ' +
    'source stat stty suspend tabs test time times tput trap tset ttyctl type typeset ulimit umask unalias unset wait ' +
    'whence where which who'
  ).split(' '),
);

/**
 * Tells if a line leaves its shell as it was, so that the words of later lines still mean what they say: it only runs
 * programs. An alias, a function, a variable or a trap would turn a later `git status` into something else.
 */
export function leavesShellPlain(
  line: string,
  { shell, path }: { readonly shell: string; readonly path: string },
): boolean {
  if (!SHELLS.has(basename(shell))) return false;
  const parsed = parseRun(line);
  if ('problem' in parsed) return false;
  return parsed.programs.every(([name = '']) => {
    if (name.includes('/') || HARMLESS.has(name)) return true;
    return !CHANGING.has(name) && findProgram(name, path) !== undefined;
  });
}
