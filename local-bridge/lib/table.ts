import { styleText } from 'node:util';
import { visibleLine } from '../../src/core/visible.ts';

/** A column: its head, and whether its values are numbers, which align at the right. */
interface Column {
  readonly head: string;
  readonly isNumber?: boolean;
  /** The column that is cut first if the line is too long for the terminal. */
  readonly gives?: boolean;
}

const GAP = '  ';
const NARROWEST = 12;

/** Prints rows below heads, aligned. In a terminal one column is cut, so that each row stays on its line. */
export function printTable(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  const { isTTY, columns: width } = process.stdout;
  for (const line of tableLines(columns, rows, isTTY ? width || 80 : undefined)) console.log(line);
}

/** Gives the lines of a table, made safe: much of it quotes strangers. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): string[] {
  const safe = rows.map((row) => row.map((cell) => visibleLine(cell)));
  const widths = columns.map(({ head }, i) =>
    Math.max(head.length, ...safe.map((row) => row[i]?.length ?? 0)),
  );
  const whole = widths.reduce((sum, each) => sum + each, GAP.length * (columns.length - 1));
  const giving = columns.findIndex(({ gives }) => gives);
  const given = widths[giving];
  if (width !== undefined && given !== undefined && whole > width) {
    widths[giving] = Math.max(NARROWEST, given - (whole - width));
  }
  const lineOf = (cells: readonly string[]) =>
    columns
      .map(({ isNumber }, i) => {
        const cell = shortened(cells[i] ?? '', widths[i] ?? 0);
        return isNumber ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
      })
      .join(GAP)
      .trimEnd();
  return [styleText('bold', lineOf(columns.map(({ head }) => head))), ...safe.map(lineOf)];
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
