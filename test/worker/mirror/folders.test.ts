import { describe, expect, it } from 'vitest';
import fourth from '../../../migrations/mirror/0004_folders.sql';
import { list } from '../../../src/mirror/mirror-store.ts';
import { randomOf } from '../memory/support.ts';
import { commitOf, inMirror, newMirror, opened, pushed } from './support.ts';
import { outputOf, repoTools } from './tools.ts';

type Rows = { path: string; files: number }[];

const KEPT = 'SELECT path, files FROM folder ORDER BY path';

/** The folders and how many files are below each, counted one by one. */
function countedIn(sql: SqlStorage): Rows {
  const counts = new Map<string, number>();
  for (const { path } of sql.exec<{ path: string }>('SELECT path FROM file')) {
    const parts = path.split('/');
    for (let i = 1; i < parts.length; i++) {
      const folder = parts.slice(0, i).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].map(([path, files]) => ({ path, files })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

describe('the totals of folders', () => {
  it('are those of the mirrored commit after any push, whole or in part, and after folders were closed', async () => {
    const mirror = newMirror();
    const random = randomOf(7);
    const pick = () => ['docs', 'docs/a', 'docs/a/B', 'docs/é', 'src', 'src/x'][Math.floor(random() * 6)];
    const OPEN = { open: ['**'] };
    const files: Record<string, string> = { 'README.md': 'one' };
    await pushed(mirror, 'commit 0', files, OPEN);
    for (let n = 1; n <= 25; n++) {
      const before = { ...files };
      for (let i = 0; i < 4; i++) files[`${pick()}/f${Math.floor(random() * 9)}.md`] = `text ${n}`;
      for (const path of Object.keys(files)) if (random() < 0.25 && path !== 'README.md') delete files[path];
      if (n % 5 === 0) {
        await pushed(mirror, `commit ${n}`, files, OPEN);
      } else {
        const changed = Object.fromEntries(
          Object.entries(files).filter(([path, text]) => before[path] !== text),
        );
        const removed = Object.keys(before).filter((path) => !(path in files));
        await pushed(mirror, `commit ${n}`, changed, { ...OPEN, base: commitOf(`commit ${n - 1}`), removed });
      }
      await inMirror(mirror, (sql) => {
        expect(sql.exec(KEPT).toArray(), `after push ${n}`).toEqual(countedIn(sql));
        expect(list(sql, '', '', 1)?.total).toBe(Object.keys(files).length);
      });
    }
    await opened(mirror, ['docs/a/**', 'README.md']);
    await inMirror(mirror, (sql) => {
      expect(sql.exec(KEPT).toArray()).toEqual(countedIn(sql));
      expect(list(sql, 'src', '', 1)?.total).toBe(0);
    });
  });

  it('are counted for a mirror of an earlier version', async () => {
    const mirror = newMirror();
    const files = {
      'README.md': '1',
      'docs/a.md': '2',
      'docs/b b/c/d.md': '3',
      'docs/b b/e.md': '4',
      'docs/é/é.md': '5',
    };
    await pushed(mirror, 'one', files, { open: ['**'] });
    await inMirror(mirror, (sql) => {
      const before = sql.exec(KEPT).toArray();
      sql.exec('DROP INDEX file_by_case; DROP TABLE folder');
      sql.exec(fourth);
      expect(sql.exec(KEPT).toArray()).toEqual(before);
      expect(before).toEqual(countedIn(sql));
    });
  });
});

describe('paths that differ only in case', () => {
  it('are told on whatever page they stand, and also when a folder differs', async () => {
    const tools = repoTools();
    const files = Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`docs/b${1_000 + n}.md`, 'x']));
    const collide = [
      'docs/B1100.md',
      'docs/b1100.md',
      'docs/c/x.md',
      'docs/C/x.md',
      'docs/z.md',
      'docs/Z.md',
    ];
    await pushed(tools.mirror, 'one', {
      ...files,
      ...Object.fromEntries(collide.map((path) => [path, 'x'])),
      'docs/ONE.md': 'x',
    });
    type Page = { files: { path: string; note?: string }[]; next_cursor: string | null; total: number };
    const noted: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page: Page = outputOf(await tools.list(cursor ? { cursor } : {}));
      expect(page.total).toBe(1_206);
      noted.push(
        ...page.files.filter(({ note }) => note?.includes('upper and lower')).map(({ path }) => path),
      );
      cursor = page.next_cursor;
    } while (cursor);
    expect(noted.sort()).toEqual([...collide].sort());
  });
});

describe('a range of lines of a mirrored file', () => {
  it('is read from either end', async () => {
    const tools = repoTools();
    await pushed(tools.mirror, 'one', { 'docs/a.md': 'one\r\ntwo\nthree', 'docs/empty.md': '' });
    const read = async (range: object) => outputOf(await tools.read('docs/a.md', range));
    expect(await read({ start_line: 2 })).toMatchObject({
      content: 'two\nthree',
      size: 14,
      lines: { first: 2, last: 3, total: 3 },
    });
    expect(await read({ start_line: -1 })).toMatchObject({
      content: 'three',
      lines: { first: 3, last: 3, total: 3 },
    });
    expect(await read({ end_line: 1 })).toMatchObject({ content: 'one\r\n' });
    expect(await read({})).not.toHaveProperty('lines');
    for (const [path, range] of [
      ['docs/a.md', { start_line: 4 }],
      ['docs/empty.md', { start_line: 1 }],
    ] as const)
      expect(await tools.read(path, range)).toMatchObject({
        kind: 'failed',
        failure: { code: 'invalid_line_range' },
      });
  });
});
