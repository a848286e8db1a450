import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** Where inputs are kept, a folder for each target. */
export const CORPUS = join(import.meta.dirname, 'corpus');

/** Inputs that once broke something are kept whatever code they reach. */
const BUG = 'bug-';

export interface Kept {
  readonly file: string;
  readonly input: string;
  readonly isBug: boolean;
}

export function corpusOf(target: string): Kept[] {
  const folder = join(CORPUS, target);
  return names(folder).map((file) => ({
    file: join(folder, file),
    input: readInput(join(folder, file)),
    isBug: file.startsWith(BUG),
  }));
}

/** An input from a file, by how its name ends: text as it is, text as JSON, or bytes in base64. */
export function readInput(path: string): string {
  const text = readFileSync(path, 'utf8');
  switch (extname(path)) {
    case '.b64':
      return Buffer.from(text, 'base64').toString('latin1');
    case '.json':
      return String(JSON.parse(text));
    default:
      return text;
  }
}

/** Writes an input down, and says where. */
export function keep(target: string, input: string, isBinary: boolean, isBug: boolean): string {
  const folder = join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const [ending, text] = written(input, isBinary);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
  const path = join(folder, `${isBug ? BUG : ''}${hash}${ending}`);
  writeFileSync(path, text);
  return path;
}

/** Puts these in the place of all that never broke anything. */
export function replaceCorpus(target: string, inputs: readonly string[], isBinary: boolean): void {
  for (const { file, isBug } of corpusOf(target)) if (!isBug) rmSync(file);
  for (const input of inputs) keep(target, input, isBinary, false);
}

function written(input: string, isBinary: boolean): [ending: string, text: string] {
  if (isBinary) return ['.b64', `${Buffer.from(input, 'latin1').toString('base64')}\n`];
  // Only what every editor and every checkout leaves alone is kept as it is.
  return /^[\n -~]*$/.test(input)
    ? ['.txt', input]
    : ['.json', `${JSON.stringify(input).replace(/[^ -~]/g, escaped)}\n`];
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
