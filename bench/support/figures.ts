import { appendFileSync } from 'node:fs';

/** One measured value of a cell in a table of docs/performance.md. */
export interface Figure {
  /** The first cell of its row. */
  readonly work: string;
  /** The heading of its column. */
  readonly column: string;
  readonly value: number;
}

/** How often a bench that starts everything anew by itself is to do so. */
export const RUNS = Number(process.env.BENCH_RUNS ?? 1);

/** Notes a value for `bench/run.ts`, which writes the rows of docs/performance.md. A bench alone only prints. */
export function figure(work: string, value: number, column = 'measured'): void {
  const file = process.env.BENCH_FIGURES;
  const noted: Figure = { work, column, value };
  if (file) appendFileSync(file, `${JSON.stringify(noted)}\n`);
}

/** Gives the middle of some runs and, if there are several, their range. */
export function spread(values: readonly number[]): { readonly middle: number; readonly text: string } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN;
  const [low, middle, high] = [at(0), at(0.5), at(1)];
  const range = sorted.length > 1 ? ` (${shown(low)}–${shown(high)})` : '';
  return { middle, text: shown(middle) + range };
}

function shown(value: number): string {
  return value.toFixed(value < 20 ? 2 : 0);
}
