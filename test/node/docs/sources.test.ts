import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../support/up.ts';

const page = readFileSync(join(PROJECT, 'docs', 'sources.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+\.\d+ \|/.test(line))
  .map((line) => {
    const [, number = '', statement = '', bowline = '', test = ''] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    return { number, statement, bowline, test };
  });

/** The title of a test or a group as its source has it: after `it(`, `describe(` or the end of a table of cases. */
const namedIn = (source: string, title: string) =>
  ["'", '"', '`'].some((quote) => source.replaceAll(/\(\s+/g, '(').includes(`(${quote}${title}`));

describe('docs/sources.md', () => {
  it('numbers its rows without gaps, and fills every cell', () => {
    const next = new Map<string, number>();
    for (const { number, statement, bowline } of rows) {
      const [group = '', nth = ''] = number.split('.');
      expect(Number(nth), number).toBe((next.get(group) ?? 0) + 1);
      next.set(group, Number(nth));
      expect(statement.length, number).toBeGreaterThan(10);
      expect(bowline.length, number).toBeGreaterThan(5);
    }
    expect([...next.keys()]).toEqual(['1', '2', '3', '4', '5']);
  });

  it('counts its statements and those that differ', () => {
    const differ = rows.filter(({ bowline }) => bowline.includes('**Differs**')).length;
    expect(page).toContain(
      `Of ${rows.length} statements, ${rows.length - differ} hold as they are written and ${differ} differ.`,
    );
  });

  it.each(rows)('row $number names a test that exists and is not skipped', ({ test }) => {
    const { file = '', title = '' } = /^`(?<file>[^`]+\.test\.ts)` › (?<title>.+)$/.exec(test)?.groups ?? {};
    const path = join(PROJECT, 'test', file);
    expect(existsSync(path), `${test}: test/${file}`).toBe(true);
    const source = readFileSync(path, 'utf8');
    expect(namedIn(source, title), title).toBe(true);
    expect(source).not.toMatch(/\b(?:it|describe)\.(?:skip|todo|only)\b/);
  });
});
