import { MAX_FILE_BYTES } from '../core/git-blob.ts';
import type { MirroredFile, MoreEntries } from '../core/mirror-push.ts';
import { IN_BUCKET } from './in-bucket.ts';

// The pieces of a push. A row has some hundred files, so that what a plan counts is few rows, and each step of a push
// looks at the rows that are not ready and at no others.

/** A path that a push brings, or one that it takes away, which has no sha. */
interface Entry {
  readonly path: string;
  readonly sha: string | null;
}

type Stored = [path: string, sha: string | null, size: number, mode: string, modified: number];
type Rows<T> = T & Record<string, SqlStorageValue>;

/** The most files in one row, and the most characters. A row of an object may have 2 MB, and a character three bytes. */
const ROW_FILES = 500;
const ROW_CHARS = 500_000;
/** The number of rows that one step of a push looks at. A content that a later row names as well is read again for it. */
export const ROWS_AHEAD = 8;

/** Writes what one request of a push brings as the texts of its rows. */
export function rowsOf({ files, removed }: Pick<MoreEntries, 'files' | 'removed'>): string[] {
  const rows: string[][] = [];
  let chars = 0;
  const add = (...entry: Stored) => {
    const text = JSON.stringify(entry);
    let last = rows.at(-1);
    if (!last || last.length >= ROW_FILES || chars + text.length > ROW_CHARS) {
      last = [];
      rows.push(last);
      chars = 0;
    }
    last.push(text);
    chars += text.length;
  };
  for (const { path, sha, size, mode, modified } of files) add(path, sha, size, mode, modified);
  for (const path of removed) add(path, null, 0, '', 0);
  return rows.map((texts) => `[${texts.join(',')}]`);
}

/** The row of a piece that brings nothing, so that it is known when it comes again. */
export const EMPTY_ROW = '[]';

/** Keeps the rows of one request. */
export function keepRows(
  sql: SqlStorage,
  id: string,
  { row, number, digest }: { readonly row: number; readonly number: number; readonly digest: string },
  rows: readonly string[],
): void {
  for (const [n, entries] of rows.entries())
    sql.exec('INSERT INTO piece VALUES (?, ?, ?, ?, ?)', id, row + n, number, digest, entries);
}

/** Gives the digest of a piece that came; `undefined` if it did not come. */
export function digestOf(sql: SqlStorage, id: string, number: number): string | undefined {
  return sql
    .exec<{ digest: string }>('SELECT digest FROM piece WHERE push = ? AND number = ? LIMIT 1', id, number)
    .toArray()[0]?.digest;
}

/** Gives the entries of the next rows that are not ready. */
export function nextEntries(sql: SqlStorage, id: string): Entry[] {
  return sql
    .exec<{ entries: string }>(
      `SELECT entries FROM piece WHERE push = ?1 AND row >= (SELECT ready FROM push WHERE id = ?1)
       ORDER BY row LIMIT ?2`,
      id,
      ROWS_AHEAD,
    )
    .toArray()
    .flatMap(({ entries }) => (JSON.parse(entries) as Stored[]).map(([path, sha]) => ({ path, sha })));
}

/** Lists contents that a row names and the bucket lacks. */
export function lackingIn(sql: SqlStorage, id: string, row: number, limit: number): string[] {
  return sql
    .exec<{ sha: string }>(
      `SELECT DISTINCT sha FROM staged AS s WHERE push = ? AND row = ? AND mode LIKE '100%' AND size <= ?
       AND NOT ${IN_BUCKET} LIMIT ?`,
      id,
      row,
      MAX_FILE_BYTES,
      limit,
    )
    .toArray()
    .map(({ sha }) => sha);
}

/** Lists the files of a row that search does not know yet. */
export function unindexedIn(sql: SqlStorage, id: string, row: number, limit: number): MirroredFile[] {
  return sql
    .exec<Rows<MirroredFile>>(
      `SELECT path, sha, size, mode, modified FROM staged AS s WHERE push = ? AND row = ? AND sha IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM doc WHERE doc.path = s.path AND doc.sha = s.sha
         AND doc.kept >= (s.mode LIKE '100%' AND s.size <= ?)) LIMIT ?`,
      id,
      row,
      MAX_FILE_BYTES,
      limit,
    )
    .toArray();
}

/** Gives a path that a push names twice. It would count twice. */
export function namedTwice(sql: SqlStorage, id: string): string | undefined {
  return sql
    .exec<{ path: string }>(
      'SELECT path FROM staged WHERE push = ? GROUP BY path HAVING count(*) > 1 LIMIT 1',
      id,
    )
    .toArray()[0]?.path;
}
