import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Fact } from '../../../contracts/preview.ts';
import { plainFact } from '../../../src/core/plain-fact.ts';
import { redactValue } from '../../../src/core/redact.ts';
import { hasUnseen } from '../../../src/core/visible.ts';
import { parseCommand } from '../../../src/gate/rules/argv.ts';
import { findProgram } from './environment.ts';
import { isShell, programName, type RoughCommand, roughCommands } from './rough-words.ts';

/** The place where a command would run. */
interface CommandPlace {
  /** The folder where it starts. */
  readonly folder: string;
  /** Real paths of the open folders, and of the command's own folder for temporary files. */
  readonly open: readonly string[];
  readonly path: string;
}

/** The length from which a command is reported as long. Nobody reads a longer one in ten seconds. */
const LONG_CHARS = 1_000;
const LONG_LINES = 20;
const MAX_PROGRAMS = 12;
/** The most targets to look for on the disk. More than fit on a page must not make the machine wait. */
const MAX_TARGETS = 32;
/** A longer path is one that no system opens. */
const MAX_PATH_CHARS = 4_096;

/** Lists the facts about a command itself, the unusual ones first. */
export function commandFacts(command: string, place: CommandPlace): Fact[] {
  const rough = roughCommands(command);
  return [...oddFacts(command, rough, place), wordsFact(command), ...programFacts(rough, place)];
}

function wordsFact(command: string): Fact {
  const parsed = parseCommand(command);
  if ('argv' in parsed) return plainFact(`Its words: ${wordsOf(parsed.argv)}.`);
  return plainFact(`Only a shell can tell its words apart. ${parsed.problem}`);
}

/** Writes words, with quotes where a reader could take one word for several. */
function wordsOf(words: readonly string[]): string {
  return (redactValue(words) as string[])
    .map((word) => (/^[\w./:@+,=%-]+$/.test(word) ? `\`${word}\`` : JSON.stringify(word)))
    .join(' ');
}

function programFacts(rough: readonly RoughCommand[], { folder, path }: CommandPlace): Fact[] {
  const programs = [
    ...new Set(rough.flatMap(({ words }) => words.find((word) => !IS_SETTING.test(word)) ?? [])),
  ];
  const facts = programs.slice(0, MAX_PROGRAMS).map((program) => {
    if (BUILT_IN.has(program)) return plainFact(`\`${program}\` is a word of the shell itself.`);
    if (/[$`*?[{~]/.test(program))
      return plainFact(`Only the shell can tell which program \`${program}\` is.`, true);
    const found = findProgram(program.includes('/') ? resolve(folder, program) : program, path);
    return found === undefined
      ? plainFact(`\`${program}\`: no program of that name was found.`, true)
      : plainFact(`\`${program}\` is ${found}.`);
  });
  const more = programs.length - facts.length;
  return more > 0 ? [...facts, plainFact(`It names ${more} more programs.`)] : facts;
}

const IS_SETTING = /^[A-Za-z_]\w*\+?=/;
const BUILT_IN = new Set(
  'cd pushd popd export unset set alias unalias source . eval exec trap umask ulimit wait jobs fg bg exit return shift read local declare typeset readonly builtin command type hash : [[ ]] { } ! if then else elif fi for while until do done case esac in function select time'.split(
    ' ',
  ),
);
const AS_OTHERS = new Set(['sudo', 'doas', 'su', 'pkexec', 'runuser']);
const INTERPRETERS = /^(?:python[\d.]*|node|deno|bun|perl|ruby|php|osascript|pwsh|lua|tclsh)$/;
const DOWNLOADERS = new Set([
  'curl',
  'wget',
  'fetch',
  'aria2c',
  'http',
  'https',
  'xh',
  'nc',
  'ncat',
  'scp',
  'rsync',
]);

function oddFacts(command: string, rough: readonly RoughCommand[], place: CommandPlace): Fact[] {
  const odd: string[] = [];
  if (hasUnseen(command)) odd.push('It has invisible characters. They are spelt out here: \\u{…}.');
  const lines = command.split('\n').length;
  if (command.length > LONG_CHARS || lines > LONG_LINES)
    odd.push(`It is long: ${command.length} characters in ${lines} ${lines === 1 ? 'line' : 'lines'}.`);
  const other = rough.flatMap(({ words }) => words).find((word) => AS_OTHERS.has(programName(word)));
  if (other !== undefined) odd.push(`\`${other}\` runs things as another user, often as the administrator.`);
  for (const [index, { words, after }] of rough.entries()) {
    if (!after.startsWith('|') || after === '||') continue;
    const runner = words.find((word) => isRunner(word));
    if (runner !== undefined) odd.push(`\`${runner}\` runs what another program prints.`);
    const source = rough[index - 1]?.words.find(isDownloader);
    if (source !== undefined)
      odd.push(`It downloads with \`${source}\` straight into ${wordsOf(words.slice(0, 6))}.`);
  }
  const source = rough.flatMap(({ words }) => words.slice(0, 3)).find(isDownloader);
  const shell = rough.flatMap(({ words }) => words.slice(0, 3)).find(isShell);
  if (source !== undefined && shell !== undefined)
    odd.push(`It downloads with \`${source}\` and starts \`${shell}\`.`);
  for (const { words } of rough) if (deletesMuch(words)) odd.push(`It deletes: ${wordsOf(words)}.`);
  const targets = rough.flatMap(targetsOf);
  if (targets.length > MAX_TARGETS) odd.push(`It writes to or enters ${targets.length} places.`);
  for (const target of targets.slice(0, MAX_TARGETS)) {
    const where = outside(target, place);
    if (where !== undefined) odd.push(where);
  }
  return [...new Set(odd)].slice(0, 16).map((text) => plainFact(text, true));
}

function isRunner(word: string): boolean {
  return isShell(word) || INTERPRETERS.test(programName(word));
}

function isDownloader(word: string): boolean {
  return DOWNLOADERS.has(programName(word));
}

function deletesMuch(words: readonly string[]): boolean {
  const at = (name: string) => words.findIndex((word) => programName(word) === name);
  const has = (from: number, option: RegExp) =>
    from >= 0 && words.slice(from + 1).some((word) => option.test(word));
  return (
    has(at('rm'), /^-[a-zA-Z]*[rR]|^--recursive$/) ||
    has(at('find'), /^-delete$/) ||
    (has(at('git'), /^clean$/) && has(at('git'), /^-[a-z]*[fdx]/)) ||
    (has(at('git'), /^reset$/) && has(at('git'), /^--hard$/)) ||
    has(at('dd'), /^of=/) ||
    words.some((word) => /^(?:shred|srm|wipefs|mkfs(?:\..+)?|truncate)$/.test(programName(word)))
  );
}

/** Finds the paths that a part of a command writes to or enters, by its words: redirections, `tee`, `cd`. */
function targetsOf({ words, writes }: RoughCommand): { verb: string; path: string }[] {
  const [program = '', ...rest] = words;
  const names = rest.filter((word) => !word.startsWith('-'));
  const tees = programName(program) === 'tee' ? names : [];
  const goes = program === 'cd' || program === 'pushd' ? names.slice(0, 1) : [];
  return [
    ...[...writes, ...tees].map((path) => ({ verb: 'writes to', path })),
    ...goes.map((path) => ({ verb: 'goes to', path })),
  ];
}

const NO_FILE = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$|^\d+$|^-$/;

/** Says why a target is unusual; `undefined` if it is in an open folder. */
function outside({ verb, path }: { verb: string; path: string }, place: CommandPlace): string | undefined {
  if (path.length > MAX_PATH_CHARS) return `It ${verb} a path of ${path.length} characters.`;
  if (NO_FILE.test(path)) return undefined;
  const known = path.replace(/^~(?=\/|$)/, () => homedir());
  if (/[$`*?[{~]/.test(known)) return `It ${verb} \`${path}\`, and only the shell knows where that is.`;
  const real = realPath(resolve(place.folder, known));
  if (place.open.some((folder) => real === folder || real.startsWith(`${folder}/`))) return undefined;
  return `It ${verb} \`${path}\`, which is outside the open folders${real === path ? '' : `: ${real}`}.`;
}

/** Follows a path's links as far as anything exists. */
function realPath(path: string): string {
  let real = '/';
  const names = path.split('/').filter(Boolean);
  for (const [i, name] of names.entries()) {
    const next = join(real, name);
    try {
      real = lstatSync(next).isSymbolicLink() ? realpathSync(next) : next;
    } catch {
      return join(real, ...names.slice(i));
    }
  }
  return real;
}
