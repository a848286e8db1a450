import { globSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The lines of one file that hold code, and whether each has run. */
export type Lines = Map<number, boolean>;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Istanbul's data on one file: where its statements are, and how often each ran. */
interface Counted {
  readonly path: string;
  readonly statementMap: Readonly<Record<string, { readonly start: Place }>>;
  readonly s: Readonly<Record<string, number>>;
}

/** Lists all lines of code of the project, by path from `root`, from what the tests left in `folder`. */
export function linesRun(root: string, folder: string): Map<string, Lines> {
  const counted = countedByVitest(folder);
  const files = new Map(counted.map((file) => [pathToFileURL(file.path).href, startsOf(file)]));
  for (const script of scriptsOfPrograms(folder)) {
    const starts = files.get(script.url);
    if (starts) markRun(starts, script.functions);
  }
  return new Map(
    counted
      .map(
        ({ path }) =>
          [path.slice(root.length + 1), linesOf(files.get(pathToFileURL(path).href) ?? [])] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The start of a statement, as a place in the file's whole text, which V8 uses. */
interface Start {
  readonly line: number;
  readonly offset: number;
  hasRun: boolean;
}

function countedByVitest(folder: string): Counted[] {
  const text = readFileSync(join(folder, 'vitest', 'coverage-final.json'), 'utf8');
  return Object.values(JSON.parse(text) as Record<string, Counted>);
}

function startsOf({ path, statementMap, s }: Counted): Start[] {
  const lengths = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.length + 1);
  const offsets = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, length) => sum + length, 0));
  return Object.entries(statementMap)
    .map(([id, { start }]) => ({
      line: start.line,
      offset: (offsets[start.line - 1] ?? 0) + start.column,
      hasRun: (s[id] ?? 0) > 0,
    }))
    .sort((a, b) => a.offset - b.offset);
}

/** Reads Node's records of each program that the tests started. Node blanks out types, so places match the source. */
function* scriptsOfPrograms(folder: string): Generator<Profiler.ScriptCoverage> {
  for (const name of globSync('programs/*.json', { cwd: folder })) {
    const text = readFileSync(join(folder, name), 'utf8');
    // The program was killed while it wrote this.
    if (!text.endsWith('}')) continue;
    yield* (JSON.parse(text) as { result: Profiler.ScriptCoverage[] }).result;
  }
}

interface Range extends Profiler.CoverageRange {
  /** True for a function's own range. It begins at the same place as the statement that makes the function. */
  readonly isFunction: boolean;
}

/** Marks which statements have run, by the innermost range around each. */
function markRun(starts: readonly Start[], functions: readonly Profiler.FunctionCoverage[]): void {
  const ranges = functions
    .flatMap(({ ranges: own }) => own.map((range, at): Range => ({ ...range, isFunction: at === 0 })))
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const around: Range[] = [];
  let next = 0;
  for (const start of starts) {
    for (let range = ranges[next]; range && range.startOffset <= start.offset; range = ranges[++next])
      around.push(range);
    while ((around.at(-1)?.endOffset ?? Number.POSITIVE_INFINITY) <= start.offset) around.pop();
    const holds = ({ startOffset, endOffset, isFunction }: Range) =>
      endOffset > start.offset && !(isFunction && startOffset === start.offset && startOffset > 0);
    if ((around.findLast(holds)?.count ?? 0) > 0) start.hasRun = true;
  }
}

function linesOf(starts: readonly Start[]): Lines {
  const lines: Lines = new Map();
  for (const { line, hasRun } of starts) lines.set(line, hasRun || lines.get(line) === true);
  return lines;
}
