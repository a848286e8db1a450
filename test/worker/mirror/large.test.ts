import { describe, expect, it } from 'vitest';
import { list } from '../../../src/mirror/mirror-store.ts';
import { searchDocs } from '../../../src/mirror/search-store.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { countingRows } from '../count-rows.ts';
import { inMirror, newMirror } from './support.ts';

const MANY = AT_LENGTH ? 100_000 : 20_000;

/** Files in 100 folders, all with one word in their text, every third with it in its title, and every fourth in its path. */
function fill(sql: SqlStorage, files: number): void {
  sql.exec(
    `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
     INSERT INTO file SELECT
       printf('docs/%02d/%06d%s.md', id % 100, id, iif(id % 4 = 0, ' common', '')), 'sha' || id, 10, '100644', 0 FROM n`,
    files,
  );
  sql.exec(`INSERT INTO doc (id, path, sha, title, has_text)
    SELECT CAST(substr(sha, 4) AS INTEGER), path, sha, iif(CAST(substr(sha, 4) AS INTEGER) % 3 = 0, 'common', ''), 1 FROM file`);
  sql.exec(`INSERT INTO doc_text (rowid, path, title, body)
    SELECT id, path, title, 'common words in a text' || iif(id = 1, ' rareword', '') FROM doc`);
  sql.exec(`INSERT INTO folder SELECT 'docs', count(*) FROM file
    UNION ALL SELECT substr(path, 1, 7) AS folder, count(*) FROM file GROUP BY folder`);
  sql.exec(
    "INSERT INTO mirror VALUES (1, 'c', 0, NULL, 0, 'tests', '[\"**\"]', '[]', ?, 0, NULL, NULL)",
    files,
  );
}

/** Counts what a look at a mirror of so many files reads. */
function looks(files: number) {
  return inMirror(newMirror(), (sql) => {
    fill(sql, files);
    const rowsOf = (act: (counted: ReturnType<typeof countingRows>) => unknown) => {
      const counted = countingRows(sql);
      const found = act(counted);
      return { rows: counted.read(), found };
    };
    const search = (all: string, some = all) => rowsOf((counted) => searchDocs(counted, { all, some }, 20));
    return {
      common: search('"common"'),
      commonTwo: search('"common" AND "words"', '"common" OR "words"'),
      rare: search('"rareword"'),
      both: search('"rareword" AND "common"', '"rareword" OR "common"'),
      root: rowsOf((counted) => list(counted, '', '', 100)),
      folder: rowsOf((counted) => list(counted, 'docs/07', '', 5)),
      deep: rowsOf((counted) => list(counted, 'docs', 'docs/98', 5)),
    };
  });
}

describe('a mirror of many files', () => {
  it('is searched and listed at the price of a small one', async () => {
    const [small, large] = [await looks(1_000), await looks(MANY)];
    for (const look of ['common', 'commonTwo', 'rare', 'both', 'root', 'folder', 'deep'] as const) {
      expect(large[look].rows, look).toBeLessThanOrEqual(3 * small[look].rows);
    }
    expect(large.rare.found).toEqual([{ path: 'docs/01/000001.md', title: '' }]);
    expect(large.root.found).toMatchObject({ total: MANY, more: true });
    expect(large.folder.found).toMatchObject({ total: MANY / 100 });
  });

  it('shows old files with a common word in their title or path before new ones that have it in their text', () =>
    inMirror(newMirror(), (sql) => {
      fill(sql, 3_000);
      const add = (id: number, path: string, title: string, body: string) => {
        sql.exec("INSERT INTO file VALUES (?, ?, 1, '100644', 0)", path, `s${id}`);
        sql.exec('INSERT INTO doc VALUES (?, ?, ?, ?, 1, 1)', id, path, `s${id}`, title);
        sql.exec(
          'INSERT INTO doc_text (rowid, path, title, body) VALUES (?, ?, ?, ?)',
          id,
          path,
          title,
          body,
        );
      };
      sql.exec('DELETE FROM doc_text WHERE rowid < 3; DELETE FROM doc WHERE id < 3');
      add(1, 'docs/titled.md', 'Words', '');
      add(2, 'docs/words.md', '', '');
      const paths = searchDocs(sql, { all: '"words"', some: '"words"' }, 20).map(({ path }) => path);
      expect(paths).toHaveLength(20);
      expect(paths.slice(0, 2)).toEqual(['docs/titled.md', 'docs/words.md']);
      // Only files of the mirrored commit count, however many others were indexed since.
      sql.exec("UPDATE file SET sha = 'other' WHERE path > 'docs/00/' AND path < 'docs/a' AND sha <> 'sha7'");
      const left = searchDocs(sql, { all: '"words"', some: '"words"' }, 20).map(({ path }) => path);
      expect(left.toSorted()).toEqual(['docs/07/000007.md', 'docs/titled.md', 'docs/words.md']);
    }));
});
