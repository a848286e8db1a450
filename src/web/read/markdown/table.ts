import type { El } from '../tree.ts';

/** Wider tables are cut to this many columns only where cells span more. */
const MOST_COLUMNS = 100;
const LONGEST_SPAN = 1_000;
/** Empty cells that spans may add to one table. A hostile page could ask for millions. */
const MOST_FILLED = 20_000;

/** One row: its cells, with an empty one for each place that a cell of this or an earlier row spans. */
export interface Row {
  readonly cells: readonly (El | undefined)[];
  readonly isHead: boolean;
}

const spanOf = (text: string | undefined, most: number): number => {
  const count = Number.parseInt(text ?? '', 10);
  return count > 1 ? Math.min(count, most) : 1;
};

const isElement = (kid: El | string): kid is El => typeof kid !== 'string';
const isCell = (el: El): boolean => el.tag === 'td' || el.tag === 'th';

/** Lays the cells of a table out in columns. */
export function rowsOf(table: El): Row[] {
  const rows: Row[] = [];
  /** For each column, the number of rows that a cell above still covers. */
  let covered: number[] = [];
  let left = MOST_FILLED;
  const fill = (cells: (El | undefined)[]) => {
    while ((covered[cells.length] ?? 0) > 0 && left > 0) {
      covered[cells.length] = (covered[cells.length] ?? 0) - 1;
      cells.push(undefined);
      left--;
    }
  };
  const add = (tr: El, inHead: boolean) => {
    const own = tr.kids.filter(isElement).filter(isCell);
    const cells: (El | undefined)[] = [];
    for (const cell of own) {
      fill(cells);
      const down = spanOf(cell.attrs.rowspan, LONGEST_SPAN) - 1;
      const across = spanOf(cell.attrs.colspan, Math.max(1, MOST_COLUMNS - cells.length));
      for (let i = 0; i < across && (i === 0 || left > 0); i++) {
        if (down > 0) covered[cells.length] = down;
        cells.push(i === 0 ? cell : undefined);
        if (i > 0) left--;
      }
    }
    fill(cells);
    const isHead = inHead || (own.length > 0 && own.every((cell) => cell.tag === 'th'));
    if (own.length > 0) rows.push({ cells, isHead });
  };
  const look = (el: El, inHead: boolean) => {
    for (const kid of el.kids) {
      if (!isElement(kid)) continue;
      if (kid.tag === 'tr') add(kid, inHead);
      else if (/^t(?:head|body|foot)$/.test(kid.tag)) {
        covered = [];
        look(kid, kid.tag === 'thead');
      }
    }
  };
  look(table, false);
  return rows;
}

/** Writes rows of finished cells as a table. The first row heads it if it is a row of headings. */
export function tableOf(rows: readonly (readonly string[])[], hasHead: boolean): string {
  const width = rows.reduce((most, cells) => Math.max(most, cells.length), 1);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' ');
  const [first = [], ...others] = rows;
  const head = Array.from({ length: width }, (_, i) => (hasHead ? (first[i] ?? '') : ''));
  const rule = `|${'---|'.repeat(width)}`;
  return [line(head), rule, ...(hasHead ? others : rows).map(line)].join('\n');
}
