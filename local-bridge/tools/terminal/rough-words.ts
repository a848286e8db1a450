/** One program that a command line would start, as far as can be told without a shell. */
export interface RoughCommand {
  readonly words: readonly string[];
  /** The operator before it: `|` for one that reads another's output. */
  readonly after: string;
  /** The paths that it would write to, as written. */
  readonly writes: readonly string[];
}

const OPERATOR = /^(?:&>>?|\d*>>|\d*>\||\d*>&|\d*<<<|\d*<<-?|\d*<&|\d*<>|\d*>|\d*<|&&|\|\||\|&|;;|[|&;()\n])/;
const WRITES = /^(?:&>>?|\d*>>|\d*>\||\d*>|\d*<>)$/;
const READS = /^\d*<(?:<<|<-?|&)?$|^\d*>&$/;
/** The deepest nesting to read. */
const MAX_DEPTH = 4;
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'eval']);

/** Gives the last part of a program's path. */
export function programName(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Tells whether a word names a shell, or the shell's own way to run a text. */
export function isShell(word: string): boolean {
  return SHELLS.has(programName(word));
}

/**
 * Takes a command line apart as most shells would, with the commands in `$(…)`, in backticks and after `sh -c`. Use
 * it to inform a person, never to decide: a shell may read the line differently.
 */
export function roughCommands(line: string, depth = 0): RoughCommand[] {
  const found: RoughCommand[] = [];
  const inner: string[] = [];
  let words: string[] = [];
  let writes: string[] = [];
  let after = '';
  let target: 'write' | 'read' | undefined;
  const end = (operator: string) => {
    if (words.length > 0 || writes.length > 0) found.push({ words, after, writes });
    [words, writes, after, target] = [[], [], operator, undefined];
  };
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at, at + 8);
    const operator = OPERATOR.exec(rest)?.[0];
    if (operator !== undefined) {
      at += operator.length;
      if (WRITES.test(operator)) target = 'write';
      else if (READS.test(operator)) target = 'read';
      else end(operator);
      continue;
    }
    if (/^\s/.test(rest)) {
      at += 1;
      continue;
    }
    const word = wordAt(line, at);
    at = word.end;
    inner.push(...word.inner);
    if (target === 'write') writes.push(word.text);
    else if (target === undefined) words.push(word.text);
    target = undefined;
  }
  end('');
  if (depth >= MAX_DEPTH) return found;
  const given = found.flatMap(({ words: all }) =>
    all.some(isShell) ? all.filter((word) => /\s/.test(word)) : [],
  );
  return [...found, ...[...inner, ...given].flatMap((text) => roughCommands(text, depth + 1))];
}

/** Reads the word at a place, without its quotes, and the commands inside it. */
function wordAt(line: string, start: number): { text: string; end: number; inner: string[] } {
  let text = '';
  const inner: string[] = [];
  let quote = '';
  let at = start;
  while (at < line.length) {
    const char = line[at] ?? '';
    if (quote === '' && (/\s/.test(char) || '|&;()<>'.includes(char))) break;
    if (char === '\\' && quote !== "'") {
      text += line[at + 1] ?? '';
      at += 2;
    } else if (quote !== "'" && (line.startsWith('$(', at) || char === '`')) {
      const end = char === '`' ? endOfTicks(line, at + 1) : endOfBrackets(line, at + 2);
      inner.push(line.slice(at + (char === '`' ? 1 : 2), end));
      text += line.slice(at, end + 1);
      at = end + 1;
    } else if (char === quote) {
      quote = '';
      at += 1;
    } else if (quote === '' && (char === "'" || char === '"')) {
      quote = char;
      at += 1;
    } else {
      text += char;
      at += 1;
    }
  }
  return { text, end: Math.max(at, start + 1), inner };
}

function endOfTicks(line: string, start: number): number {
  const end = line.indexOf('`', start);
  return end < 0 ? line.length : end;
}

function endOfBrackets(line: string, start: number): number {
  let open = 1;
  for (let at = start; at < line.length; at++) {
    if (line[at] === '(') open += 1;
    if (line[at] === ')') open -= 1;
    if (open === 0) return at;
  }
  return line.length;
}
