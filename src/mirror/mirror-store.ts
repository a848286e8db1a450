import type { MirrorStatus } from '../core/mirror-push.ts';
import { OPEN_BY_DEFAULT } from '../core/path-policy.ts';

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

type Row<T> = T & Record<string, SqlStorageValue>;

const COLUMNS = 'path, sha, size, mode, modified';

/** Gives the mirrored commit; `undefined` if nothing was mirrored. */
export function head(sql: SqlStorage): { commit: string; open: string[] } | undefined {
  const row = sql
    .exec<{ commit_sha: string; open: string }>('SELECT commit_sha, open FROM mirror')
    .toArray()[0];
  return row && { commit: row.commit_sha, open: JSON.parse(row.open) as string[] };
}

export function locate(sql: SqlStorage, path: string): Located | null {
  const at = head(sql);
  if (!at) return null;
  const file = sql.exec<Row<FileRow>>(`SELECT ${COLUMNS} FROM file WHERE path = ?`, path).toArray()[0];
  return { ...at, file: file ? { ...file } : null };
}

/** Lists the files below a folder (`''` is the root) by path, after one of them. */
export function list(sql: SqlStorage, folder: string, after: string, limit: number): Listing | null {
  const at = head(sql);
  if (!at) return null;
  const { from, to } = below(folder);
  const files = sql
    .exec<Row<FileRow>>(
      `SELECT ${COLUMNS} FROM file WHERE path >= ? AND path < ? AND path > ? ORDER BY path LIMIT ?`,
      from,
      to,
      after,
      limit + 1,
    )
    .toArray();
  const { total } = sql
    .exec<{ total: number }>('SELECT count(*) AS total FROM file WHERE path >= ? AND path < ?', from, to)
    .one();
  const page = files.slice(0, limit);
  const collides = page.length === 0 ? new Set<string>() : collidingPaths(sql, from, to);
  return {
    ...at,
    files: page.map((file) => ({ ...file, collides: collides.has(file.path.toLowerCase()) })),
    total,
    more: files.length > limit,
  };
}

/** Lists paths with this beginning, for somebody who is typing one. */
export function pathsFrom(sql: SqlStorage, typed: string, limit: number): string[] {
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

export function status(sql: SqlStorage): MirrorStatus {
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

function collidingPaths(sql: SqlStorage, from: string, to: string): Set<string> {
  const rows = sql
    .exec<{ low: string }>(
      'SELECT lower(path) AS low FROM file WHERE path >= ? AND path < ? GROUP BY low HAVING count(*) > 1',
      from,
      to,
    )
    .toArray();
  return new Set(rows.map(({ low }) => low));
}
