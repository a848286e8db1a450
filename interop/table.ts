import { readFileSync } from 'node:fs';
import { type Candidate, catalogue, type Key } from './catalogue.ts';
import { STEPS, type StepName, type StepResult } from './steps.ts';

/** What became of one client. */
export interface Row {
  readonly key: Key;
  readonly results: Partial<Record<StepName, StepResult>>;
}

const BEGIN = '<!-- interop:begin -->';
const END = '<!-- interop:end -->';
const MARKS = { passed: '✓', failed: '✗', absent: '–' } as const;
const names = Object.keys(STEPS) as StepName[];

/** The page with what happened in place of the table it had. */
export function withTable(page: string, rows: readonly Row[]): string {
  const [before, after] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  if (after < before) throw new Error('The page lacks the markers that the table stands between.');
  return `${page.slice(0, before)}\n${table(rows)}\n${page.slice(after)}`;
}

function table(rows: readonly Row[]): string {
  const notes: string[] = [];
  const mark = (note: string) => {
    if (!notes.includes(note)) notes.push(note);
    return `<sup>${notes.indexOf(note) + 1}</sup>`;
  };
  const cell = ({ key, results }: Row, step: StepName) => {
    const note = (catalogue[key] as Candidate).notes?.[step];
    return MARKS[results[step]?.outcome ?? 'failed'] + (note ? mark(note) : '');
  };
  return [
    line(['client', 'package', 'used how', 'protocol']),
    line(['---', '---', '---', '---']),
    ...rows.map(introduced),
    '',
    line(['', ...rows.map(({ key }) => key)]),
    line(['---', ...rows.map(() => ':-:')]),
    ...names.map((step) => line([STEPS[step], ...rows.map((row) => cell(row, step))])),
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
  ].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function introduced({ key, results }: Row): string {
  const { package: name, how } = catalogue[key];
  return line([`\`${key}\``, `\`${name}\` ${versionOf(name)}`, how, results.connect?.protocol ?? 'not told']);
}

function versionOf(name: string): string {
  const manifest = new URL('package.json', import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).dependencies[name];
}

/** Which steps the page's table has as passed, by client. */
export function recorded(page: string): Map<string, Set<StepName>> {
  const cells = page.split('\n').map((one) => one.split('|').map((cell) => cell.trim()));
  const passed = (step: StepName, column: number) =>
    cells.find(([, heading]) => heading === STEPS[step])?.[column]?.startsWith(MARKS.passed) === true;
  const keys = cells.find(([, corner, first]) => corner === '' && first === Object.keys(catalogue)[0]) ?? [];
  return new Map(
    keys.map((key, column) => [key, new Set(names.filter((step) => passed(step, column)))] as const),
  );
}

/** What passed once and no longer does, a line each. */
export function lost(before: ReadonlyMap<string, ReadonlySet<StepName>>, rows: readonly Row[]): string[] {
  return rows.flatMap(({ key, results }) =>
    [...(before.get(key) ?? [])]
      .filter((step) => results[step]?.outcome !== 'passed')
      .map((step) => `${key}, ${STEPS[step]}`),
  );
}
