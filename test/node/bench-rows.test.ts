import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renewRows, rowsNotMeasured } from '../../bench/support/rows.ts';

const PAGE = `# Page

| work | at most | measured | against | \`npm run bench --\` |
|---|---|---|---|---|
| a \`start\` | 50 ms | 110 | bare | \`start\` |
| a call, 1 caller | 5× | 4.00 (3.00–5.00) | bare | \`http\` |
| another | 5× | 1.00 | bare | \`http\` |

| call | 1 caller | 8 callers |
|:---|---:|---|
| a call | 1.00 | 2.00 |

a call | no table
`;
const of = (work: string, column: string, ...values: number[]) =>
  values.map((value) => ({ work, column, value }));

describe('the rows of docs/performance.md that a bench renews', () => {
  it('get the middle of all runs and their range, in the cell of that row and column', () => {
    const { page, rows, homeless } = renewRows(PAGE, [
      ...of('a call, 1 caller', 'measured', 6.5, 4.251, 5),
      ...of('a call', '8 callers', 2.5, 1.5),
      ...of('a `start`', 'measured', 98.6),
    ]);
    const renewed = [
      '| a `start` | 50 ms | 99 | bare | `start` |',
      '| a call, 1 caller | 5× | 5.00 (4.25–6.50) | bare | `http` |',
      '| a call | 1.00 | 2.50 (1.50–2.50) |',
    ];
    expect(rows).toEqual(renewed);
    expect(homeless).toEqual([]);
    const lines = PAGE.split('\n');
    lines.splice(4, 2, ...renewed.slice(0, 2));
    lines.splice(10, 1, renewed[2] ?? '');
    expect(page).toBe(lines.join('\n'));
  });

  it('leave nothing measured without a cell, and no cell without a measure, unsaid', () => {
    const { page, homeless } = renewRows(PAGE, [
      ...of('a call', 'measured', 1),
      ...of('gone', '1 caller', 1),
    ]);
    expect(homeless).toEqual(['a call | measured', 'gone | 1 caller']);
    expect(page).toBe(PAGE);
    expect(rowsNotMeasured(PAGE, 'http', of('another', 'measured', 1))).toEqual(['a call, 1 caller']);
    expect(rowsNotMeasured(PAGE, 'start', [])).toEqual(['a `start`']);
  });

  it('are all of a bench that there is', () => {
    const bench = resolve(import.meta.dirname, '..', '..', 'bench');
    const page = readFileSync(join(bench, '..', 'docs', 'performance.md'), 'utf8');
    const named = new Set([...page.matchAll(/\| `([\w-]+)` \|$/gm)].map(([, name = '']) => name));
    expect(named.size).toBeGreaterThan(7);
    for (const name of named) expect(readFileSync(join(bench, `${name}.ts`), 'utf8')).toContain('figure(');
  });
});
