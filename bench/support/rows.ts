import { type Figure, spread } from './figures.ts';

export interface Renewed {
  /** The page with every measured cell written anew. */
  readonly page: string;
  /** The rows that changed, table by table, as the page now has them. */
  readonly rows: readonly string[];
  /** What was measured and has no cell on the page. */
  readonly homeless: readonly string[];
}

/** Puts measured figures into the tables of a page: the row by its first cell, the column by its heading. */
export function renewRows(page: string, figures: readonly Figure[]): Renewed {
  const values = new Map<string, number[]>();
  for (const { work, column, value } of figures) {
    const key = cellKey(work, column);
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  const rows: string[] = [];
  const used = new Set<string>();
  let headings: readonly string[] = [];
  const lines = page.split('\n').map((line, i, all) => {
    const cells = cellsOf(line);
    if (cells.length === 0) return line;
    if (
      cellsOf(all[i + 1] ?? '').every((cell) => /^:?-+:?$/.test(cell)) &&
      cellsOf(all[i + 1] ?? '').length > 0
    )
      headings = cells;
    const keys = cells.map((_, at) => cellKey(cells[0] ?? '', headings[at] ?? ''));
    if (!keys.some((key) => values.has(key))) return line;
    for (const key of keys) if (values.has(key)) used.add(key);
    const renewed = `| ${cells.map((cell, at) => textFor(values.get(keys[at] ?? '')) ?? cell).join(' | ')} |`;
    rows.push(renewed);
    return renewed;
  });
  const homeless = [...values.keys()].filter((key) => !used.has(key));
  return { page: lines.join('\n'), rows, homeless };
}

/** Lists the rows of a part whose "measured" nothing renewed. */
export function rowsNotMeasured(page: string, part: string, figures: readonly Figure[]): string[] {
  const measured = new Set(figures.map(({ work }) => work));
  return page.split('\n').flatMap((line) => {
    const cells = cellsOf(line);
    const [work = ''] = cells;
    return cells.length > 3 && cells.at(-1) === `\`${part}\`` && !measured.has(work) ? [work] : [];
  });
}

function textFor(values: readonly number[] | undefined): string | undefined {
  return values && spread(values).text;
}

function cellKey(work: string, column: string): string {
  return `${work} | ${column}`;
}

function cellsOf(line: string): string[] {
  const inside = /^\|(.*)\|$/.exec(line.trim())?.[1];
  return inside === undefined ? [] : inside.split('|').map((cell) => cell.trim());
}
