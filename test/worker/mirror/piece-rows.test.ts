import { describe, expect, it } from 'vitest';
import first from '../../../migrations/mirror/0001_mirror.sql';
import second from '../../../migrations/mirror/0002_search.sql';
import third from '../../../migrations/mirror/0003_settings.sql';
import fourth from '../../../migrations/mirror/0004_folders.sql';
import fifth from '../../../migrations/mirror/0005_pieces.sql';
import { isInBucket } from '../../../src/mirror/in-bucket.ts';
import { rowsOf } from '../../../src/mirror/push-pieces.ts';
import { commitOf, inMirror, newMirror } from './support.ts';

describe('the rows of a piece', () => {
  it('hold at most 500 files and 500,000 characters, and all of them in order', () => {
    const file = (n: number, chars: number) => ({
      ...{
        path: `${n}`.padEnd(chars, 'p'),
        sha: commitOf('x'),
        size: 1,
        mode: '100644' as const,
        modified: 1,
      },
    });
    const sizes = (files: number, chars: number) =>
      rowsOf({ files: Array.from({ length: files }, (_, n) => file(n, chars)), removed: ['gone'] }).map(
        (row) => (JSON.parse(row) as unknown[]).length,
      );
    expect(sizes(498, 9)).toEqual([499]);
    expect(sizes(499, 9)).toEqual([500]);
    expect(sizes(500, 9)).toEqual([500, 1]);
    const long = rowsOf({ files: Array.from({ length: 300 }, (_, n) => file(n, 4_096)), removed: [] });
    expect(long.every((row) => row.length <= 500_000 + 300)).toBe(true);
    expect(
      long.flatMap((row) => (JSON.parse(row) as string[][]).map(([path = '']) => Number.parseInt(path, 10))),
    ).toEqual(Array.from({ length: 300 }, (_, n) => n));
  });
});

describe('a mirror of an earlier version', () => {
  it('keeps its contents, its search and what was loose', async () => {
    const mirror = newMirror();
    const found = await inMirror(mirror, (sql) => {
      sql.exec('DROP VIEW staged');
      const tables = sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'doc\\_text\\_%' ESCAPE '\\'",
        )
        .toArray();
      // The rows of a push go first, because they name it.
      for (const { name } of tables.toSorted(
        (a, b) => Number(b.name === 'piece') - Number(a.name === 'piece'),
      ))
        sql.exec(`DROP TABLE IF EXISTS "${name}"`);
      for (const text of [first, second, third, fourth]) sql.exec(text);
      sql.exec(`INSERT INTO doc VALUES (7, 'docs/a.md', 'sha-a', 'A', 1), (8, 'docs/link', 'sha-link', '', 1);
        INSERT INTO doc_text (rowid, path, title, body) VALUES (7, 'docs/a.md', 'A', 'walrus');
        INSERT INTO blob VALUES ('sha-a', NULL), ('sha-loose', 5), ('sha-new', NULL);
        INSERT INTO push VALUES ('p', 1, 'x', 'c', 1, NULL, NULL, '[]', '[]', 0, 'x');
        INSERT INTO staged VALUES ('p', 'docs/a.md', 'sha-a', 1, '100644', 1);`);
      sql.exec(fifth);
      return {
        docs: sql.exec('SELECT id, sha, kept FROM doc ORDER BY id').toArray(),
        loose: sql.exec('SELECT sha, since = 5 AS old FROM loose ORDER BY sha').toArray(),
        search: sql.exec("SELECT rowid AS id FROM doc_text WHERE doc_text MATCH 'walrus'").toArray(),
        pushes: sql.exec('SELECT id FROM push').toArray(),
        inBucket: ['sha-a', 'sha-loose', 'sha-link'].map((sha) => isInBucket(sql, sha)),
      };
    });
    expect(found).toEqual({
      docs: [
        { id: 7, sha: 'sha-a', kept: 1 },
        { id: 8, sha: 'sha-link', kept: 0 },
      ],
      loose: [
        { sha: 'sha-loose', old: 1 },
        { sha: 'sha-new', old: 0 },
      ],
      search: [{ id: 7 }],
      pushes: [],
      inBucket: [true, true, false],
    });
  });
});
