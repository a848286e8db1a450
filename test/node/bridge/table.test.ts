import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tableLines } from '../../../local-bridge/lib/table.ts';

const columns = [{ head: '#', isNumber: true }, { head: 'What', gives: true }, { head: 'By' }];
const lines = (rows: string[][], width?: number) =>
  tableLines(columns, rows, width).map(stripVTControlCharacters);

describe('a table', () => {
  it('stands in columns, numbers at the right', () => {
    const rows = [
      ['9', 'npm test', 'Claude'],
      ['10', 'ls', 'Codex'],
    ];
    expect(lines(rows)).toEqual([' #  What      By', ' 9  npm test  Claude', '10  ls        Codex']);
  });

  it('cuts one column so that a row stays on its line, and no further than can be read', () => {
    const rows = [['1', 'x'.repeat(80), 'Claude']];
    expect(lines(rows, 40)[1]).toBe(`1  ${'x'.repeat(28)}…  Claude`);
    expect(lines(rows, 40)[1]).toHaveLength(40);
    expect(lines(rows, 10)[1]).toBe(`1  ${'x'.repeat(11)}…  Claude`);
    expect(lines(rows)[1]).toHaveLength(80 + 11);
  });

  it('has one line a row, whatever a stranger wrote', () => {
    expect(lines([['1', 'a\n2  b\u001b[2J', 'eve\r']])).toEqual([
      expect.any(String),
      expect.stringMatching(/^1 {2}a\\n2 {2}b/),
    ]);
  });
});
