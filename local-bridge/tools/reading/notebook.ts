import { isRecord } from '../../../src/core/is-record.ts';

/** The most characters of one output of a cell. Tables and logs can be very long. */
const MAX_OUTPUT_CHARS = 4_000;

/** Writes a Jupyter notebook as its cells, with what they put out; `undefined` if the text is none. */
export function notebookText(text: string): string | undefined {
  const read = parsed(text);
  if (!isRecord(read) || !Array.isArray(read.cells)) return undefined;
  const cells: unknown[] = read.cells;
  return cells.map((cell, i) => (isRecord(cell) ? cellText(cell, i + 1) : '')).join('');
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
  const kind = typeof cell.cell_type === 'string' ? cell.cell_type.slice(0, 20) : 'cell';
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
  const named = others.map((kind) => `(${kind.slice(0, 60)}, ${joined(data[kind]).length} characters)\n`);
  return line(short(plain(joined(text)))) + named.join('');
}

/** Notebooks write a text as one string or as its lines. */
function joined(value: unknown, between = ''): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(between) : '';
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
