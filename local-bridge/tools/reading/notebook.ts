import { isRecord } from '../../../src/core/is-record.ts';

/** The most characters of one output of a cell. Tables and logs can be very long. */
const MAX_OUTPUT_CHARS = 4_000;
/** The most kinds of one output to name. */
const MAX_KINDS = 20;
/** The most characters of a whole notebook. An answer has far less room. */
export const MAX_NOTEBOOK_CHARS = 4_000_000;

/** A notebook as text, and whether there is more of it. */
interface NotebookText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Writes a Jupyter notebook as its cells, with what they put out; `undefined` if the text is none. */
export function notebookText(text: string): NotebookText | undefined {
  const read = parsed(text);
  if (!isRecord(read) || !Array.isArray(read.cells)) return undefined;
  const cells: unknown[] = read.cells;
  const written: string[] = [];
  let left = MAX_NOTEBOOK_CHARS;
  for (const [i, cell] of cells.entries()) {
    if (!isRecord(cell)) continue;
    const part = cellText(cell, i + 1);
    if (part.length > left) return { text: written.join(''), isCut: true };
    left -= part.length;
    written.push(part);
  }
  return { text: written.join(''), isCut: false };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function cellText(cell: Fields, number: number): string {
  const kind = typeof cell.cell_type === 'string' ? cell.cell_type.slice(0, 20).toWellFormed() : 'cell';
  const outputs: unknown[] = Array.isArray(cell.outputs) ? cell.outputs : [];
  const put = outputs.map((output) => (isRecord(output) ? outputText(output) : '')).join('');
  return `[${number}] ${kind}\n${line(joined(cell.source))}${put === '' ? '' : `[${number}] output\n${put}`}\n`;
}

function outputText(output: Fields): string {
  if (output.output_type === 'error') return line(short(plain(joined(output.traceback, '\n'))));
  if (output.text !== undefined) return line(short(plain(joined(output.text))));
  if (!isRecord(output.data)) return '';
  const { data } = output;
  const text = data['text/plain'] ?? data['text/markdown'];
  const others = Object.keys(data).filter((kind) => !kind.startsWith('text/'));
  const named = others
    .slice(0, MAX_KINDS)
    .map((kind) => `(${kind.slice(0, 60).toWellFormed()}, ${joined(data[kind]).length} characters)\n`);
  return line(short(plain(joined(text)))) + named.join('');
}

/** Notebooks write a text as one string or as its lines. */
function joined(value: unknown, between = ''): string {
  if (typeof value === 'string') return value.toWellFormed();
  if (!Array.isArray(value)) return '';
  return value
    .filter((part) => typeof part === 'string')
    .join(between)
    .toWellFormed();
}

/** Leaves the colours of a traceback out. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one.
  return text.replace(/\u001b\[[0-9;]{0,20}m/g, '');
}

function short(text: string): string {
  if (text.length <= MAX_OUTPUT_CHARS) return text;
  return `${text.slice(0, MAX_OUTPUT_CHARS).toWellFormed()}\n(${text.length - MAX_OUTPUT_CHARS} more characters)`;
}

function line(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
