import { parseWords } from './argv.ts';

/** A command, with the programs that only read its output. */
type ParsedRun =
  | {
      readonly argv: readonly string[];
      /** The redirection of its output, such as `2>&1 | tail -20`, in one spelling. Empty without one. */
      readonly ending: string;
      /** The words of every program that it starts. */
      readonly programs: readonly (readonly string[])[];
    }
  | { readonly problem: string };

/** Reads the words of a command and what happens to its output. Refuses a command that does anything else. */
export function parseRun(command: string): ParsedRun {
  const begun = parseWords(command);
  if ('problem' in begun) return begun;
  const ending = readersIn(begun.rest);
  if (!ending) {
    return { problem: 'The command sends its output on in a way that a rule cannot follow.' };
  }
  return { argv: begun.argv, ending: ending.text, programs: [begun.argv, ...ending.readers] };
}

/** Tells if a text is a valid ending, in the spelling that rules use. */
export function isEnding(text: string): boolean {
  return text !== '' && readersIn(text)?.text === text;
}

interface Readers {
  readonly text: string;
  readonly readers: readonly (readonly string[])[];
}

function readersIn(rest: string): Readers | undefined {
  const redirected = /^2>&1(?: +|$)/.exec(rest)?.[0] ?? '';
  const said = redirected === '' ? [] : ['2>&1'];
  const readers: (readonly string[])[] = [];
  let left = rest.slice(redirected.length);
  while (left !== '') {
    if (!left.startsWith('| ')) return undefined;
    const begun = parseWords(left.slice(1));
    if ('problem' in begun || !onlyReads(begun.argv)) return undefined;
    const typed = begun.argv.map(asTyped);
    if (typed.includes(undefined)) return undefined;
    readers.push(begun.argv);
    said.push(`| ${typed.join(' ')}`);
    left = begun.rest;
  }
  return { text: said.join(' '), readers };
}

/** Writes a word as a person would type it. Gives `undefined` for a word that has both kinds of quote. */
export function asTyped(word: string): string | undefined {
  if (/^[\w./:@+,=-]+$/.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return word.includes('"') ? undefined : `"${word}"`;
}

/** Programs that print part of what they read, with the options that name no file and start nothing. */
const READERS: Readonly<Record<string, { readonly options: RegExp; readonly operands: number }>> = {
  cat: { options: /^$/, operands: 0 },
  head: { options: /^-(?:[nc] ?-?)?\d+$/, operands: 0 },
  tail: { options: /^-(?:[nc] ?[-+]?)?\d+$/, operands: 0 },
  wc: { options: /^-[clmw]+$/, operands: 0 },
  grep: { options: /^-(?:[cEFinovwx]+|[ABCm] ?\d+)$/, operands: 1 },
};

/** Tells if a program only reads what it is sent. With a file to read, it could show any file. */
function onlyReads([program = '', ...words]: readonly string[]): boolean {
  const reader = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  if (!reader) return false;
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      operands += 1;
    } else if (!reader.options.test(word)) {
      // An option such as `-n` may have its number in the next word.
      at += 1;
      if (!/^-\w$/.test(word) || !reader.options.test(`${word} ${words[at] ?? ''}`)) return false;
    }
  }
  return operands === reader.operands;
}
