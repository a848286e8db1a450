import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchIn } from './rig.ts';

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join('\n');

describe('grep_search below a folder', () => {
  const tree = { 'a.txt': 'knot', 'src/b.txt': 'knot', 'src/in/c.md': 'knot', 'other/d.txt': 'knot' };

  it('finds only what is there, by its path from the open folder', async () => {
    const { text, items } = searchIn(tree);
    const found = await text({ pattern: 'knot', base_path: 'src' });
    expect(items(found)).toEqual(['src/b.txt:1: knot', 'src/in/c.md:1: knot']);
    expect(found.metadata).toMatchObject({ files_searched: 2, total_matches: 2 });
    expect(items(await text({ pattern: 'knot', base_path: 'src', file_pattern: 'in/*' }))).toEqual([
      'src/in/c.md:1: knot',
    ]);
    expect(items(await text({ pattern: 'knot', base_path: '.' }))).toHaveLength(4);
  });

  it('shows nothing that is closed, and no way out', async () => {
    const { text, items, refused, root, above } = searchIn({
      'src/.env': 'knot',
      'src/secrets/a': 'knot',
      'src/b.txt': 'knot',
    });
    symlinkSync(above, join(root, 'out'));
    expect(items(await text({ pattern: 'knot', base_path: 'src' }))).toEqual(['src/b.txt:1: knot']);
    for (const [base_path, code] of [
      ['..', 'path_outside_root'],
      ['out', 'path_outside_root'],
      ['src/secrets', 'path_denied'],
      ['src/b.txt', 'not_a_directory'],
      ['nowhere', 'directory_not_found'],
    ])
      expect(await refused('grep_search', { pattern: 'knot', base_path }), base_path).toMatchObject({ code });
  });
});

describe('grep_search in any case', () => {
  it.each([
    [{}, ['a.txt:2: knot']],
    [{ ignore_case: false }, ['a.txt:2: knot']],
    [{ ignore_case: true }, ['a.txt:1: Knot', 'a.txt:2: knot', 'a.txt:3: KNOT']],
    [
      { ignore_case: true, is_regex: true, pattern: '^K.o' },
      ['a.txt:1: Knot', 'a.txt:2: knot', 'a.txt:3: KNOT'],
    ],
  ])('%j', async (how, lines) => {
    const { text, items } = searchIn({ 'a.txt': 'Knot\nknot\nKNOT\n' });
    expect(items(await text({ pattern: 'knot', ...how }))).toEqual(lines);
  });
});

describe('grep_search with the lines around', () => {
  it('shows each line once, and where lines are left out', async () => {
    const { text, items } = searchIn({ 'a.txt': ten, 'b.txt': 'line 5' });
    const found = await text({ pattern: 'line [246]$', is_regex: true, context_lines: 1 });
    expect(items(found)).toEqual([
      ...['a.txt-1- line 1', 'a.txt:2: line 2', 'a.txt-3- line 3', 'a.txt:4: line 4', 'a.txt-5- line 5'],
      ...['a.txt:6: line 6', 'a.txt-7- line 7'],
    ]);
    expect(found.metadata).toMatchObject({ total_matches: 3 });
    expect(items(await text({ pattern: 'line [29]$', is_regex: true, context_lines: 1 }))).toEqual([
      ...['a.txt-1- line 1', 'a.txt:2: line 2', 'a.txt-3- line 3', '--'],
      ...['a.txt-8- line 8', 'a.txt:9: line 9', 'a.txt-10- line 10'],
    ]);
    expect(items(await text({ pattern: 'line 5', context_lines: 10 }))).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `a.txt${i === 4 ? ':5:' : `-${i + 1}-`} line ${i + 1}`),
      ...['--', 'b.txt:1: line 5'],
    ]);
  });

  it.each([
    ['line ends of Windows', 'a\r\nknot\r\nb\r\n'],
    ['no end at the end', 'a\nknot\nb'],
    ['a byte order mark', '\ufeffa\nknot\nb\n'],
    ['UTF-16', Buffer.from('\ufeffa\nknot\nb\n', 'utf16le')],
  ])('of a file with %s', async (_, content) => {
    const { text, items } = searchIn({ 'a.txt': content });
    expect(items(await text({ pattern: 'knot', context_lines: 2 }))).toEqual([
      ...['a.txt-1- a', 'a.txt:2: knot', 'a.txt-3- b'],
    ]);
  });

  it('cuts long lines, and leaves out those that lie too far', async () => {
    const long = 'ä'.repeat(600);
    const { text, items } = searchIn({
      'a.txt': `${long}\nknot\n${long}\n`,
      'b.txt': `${'x'.repeat(9_000)}\nknot`,
    });
    expect(items(await text({ pattern: 'knot', file_pattern: 'a.txt', context_lines: 3 }))).toEqual([
      `a.txt-1- ${'ä'.repeat(250)} [… cut]`,
      'a.txt:2: knot',
      `a.txt-3- ${'ä'.repeat(250)} [… cut]`,
    ]);
    expect(items(await text({ pattern: 'knot', file_pattern: 'b.txt', context_lines: 1 }))).toEqual([
      'b.txt:2: knot',
    ]);
  });

  it('shows 2,000 of them at most, and says so', async () => {
    const { text } = searchIn({ 'a.txt': 'knot\na\nb\n'.repeat(400) });
    const some = await text({ pattern: 'knot', context_lines: 10, max_results: 100 });
    expect(some.metadata.warning).not.toMatch(/lines around/);
    const many = await text({ pattern: 'knot', context_lines: 10, max_results: 400 });
    expect(many.metadata.warning).toMatch(/Only the first matches have lines around them, 2000 in all/);
    expect(many.metadata.total_matches).toBe(400);
  });

  it.each([{ context_lines: -1 }, { context_lines: 11 }, { context_lines: 1.5 }, { ignore_case: 'yes' }])(
    'refuses %j',
    async (how) => {
      const { refused } = searchIn({ 'a.txt': 'knot' });
      expect(await refused('grep_search', { pattern: 'knot', ...how })).toMatchObject({
        code: 'invalid_input',
      });
    },
  );
});
