import type { MirrorStatus } from '../core/mirror-push.ts';
import { OPEN_BY_DEFAULT } from '../core/path-policy.ts';
import type { Sql, SqlValue } from '../storage/sql.ts';
import { filesBelow } from './folder-totals.ts';

/** A file of the mirrored commit. */
export interface FileRow {
  readonly path: string;
  readonly sha: string;
  readonly size: number;
  readonly mode: string;
  readonly modified: number;
}

/** The file at a path of the mirrored commit, and what that commit opens. */
interface Located {
  readonly commit: string;
  readonly open: readonly string[];
  readonly file: FileRow | null;
}

interface ListedFile extends FileRow {
  /** True if another path differs from this one only in case. */
  readonly collides: boolean;
}

export interface Listing {
  readonly commit: string;
  readonly open: readonly string[];
  readonly files: readonly ListedFile[];
  readonly total: number;
  readonly more: boolean;
}

type Row<T> = T & Record<string, SqlValue>;

const COLUMNS = 'path, sha, size, mode, modified';

// Of two paths that differ only in case, one has a capital letter: the index has those.
const COLLIDES = `(
  EXISTS (SELECT 1 FROM file AS o WHERE lower(o.path) = lower(f.path) AND o.path <> lower(o.path) AND o.path <> f.path)
  OR (f.path <> lower(f.path) AND EXISTS (SELECT 1 FROM file AS o WHERE o.path = lower(f.path))))`;

/** Gives the mirrored commit; `undefined` if nothing was mirrored. */
export function head(sql: Sql): { commit: string; open: string[]; files: number } | undefined {
  const row = sql
    .exec<{ commit_sha: string; open: string; files: number }>('SELECT commit_sha, open, files FROM mirror')
    .toArray()[0];
  return row && { commit: row.commit_sha, open: JSON.parse(row.open) as string[], files: row.files };
}

export function locate(sql: Sql, path: string): Located | null {
  const at = head(sql);
  if (!at) return null;
  const file = sql.exec<Row<FileRow>>(`SELECT ${COLUMNS} FROM file WHERE path = ?`, path).toArray()[0];
  return { commit: at.commit, open: at.open, file: file ? { ...file } : null };
}

/** Lists the files below a folder (`''` is the root) by path, after one of them. */
export function list(sql: Sql, folder: string, after: string, limit: number): Listing | null {
  const at = head(sql);
  if (!at) return null;
  const { from, to } = below(folder);
  const files = sql
    .exec<Row<FileRow & { collides: number }>>(
      `SELECT ${COLUMNS}, ${COLLIDES} AS collides FROM file AS f
       WHERE path > max(?, ?) AND path < ? ORDER BY path LIMIT ?`,
      from,
      after,
      to,
      limit + 1,
    )
    .toArray();
  return {
    commit: at.commit,
    open: at.open,
    files: files.slice(0, limit).map((file) => ({ ...file, collides: file.collides === 1 })),
    total: folder === '' ? at.files : filesBelow(sql, folder),
    more: files.length > limit,
  };
}

/** Lists paths with this beginning, for somebody who is typing one. */
export function pathsFrom(sql: Sql, typed: string, limit: number): string[] {
  return sql
    .exec<{ path: string }>(
      'SELECT path FROM file WHERE path >= ? AND path < ? ORDER BY path LIMIT ?',
      typed,
      `${typed}${LAST}`,
      limit,
    )
    .toArray()
    .map(({ path }) => path);
}

export function status(sql: Sql): MirrorStatus {
  const row = sql.exec<Row<StatusRow>>('SELECT * FROM mirror').toArray()[0];
  const problem = sql.exec<{ problem: string | null }>('SELECT problem FROM wanted').toArray()[0]?.problem;
  return {
    commit: row?.commit_sha ?? null,
    committedAt: row?.committed_at ?? null,
    branch: row?.branch ?? null,
    pushedAt: row?.pushed_at ?? null,
    pushedBy: row?.pushed_by ?? null,
    files: row?.files ?? 0,
    bytes: row?.bytes ?? 0,
    open: row ? (JSON.parse(row.open) as string[]) : OPEN_BY_DEFAULT,
    problem: problem ?? null,
  };
}

interface StatusRow {
  readonly commit_sha: string;
  readonly committed_at: number;
  readonly branch: string | null;
  readonly pushed_at: number;
  readonly pushed_by: string;
  readonly open: string;
  readonly files: number;
  readonly bytes: number;
}

/** Sorts after every path. */
const LAST = '\u{10ffff}';

function below(folder: string): { from: string; to: string } {
  return folder === '' ? { from: '', to: LAST } : { from: `${folder}/`, to: `${folder}0` };
}
