import type { PushAnswer } from '../core/mirror-push.ts';
import { countFolders } from './folder-totals.ts';
import type { Switched } from './push-record.ts';
import { dropPush, pushOf, shownName } from './push-store.ts';

/** Beyond this number, changed files are not named; followers of the list hear only that it changed. */
const MAX_CHANGED = 100;

/** Shows the push's commit in place of the earlier one, in the caller's one transaction. Tells what that changes. */
export function switchTo(
  sql: SqlStorage,
  id: string,
  now: number,
  switched: (what: Switched) => void,
): PushAnswer {
  const push = pushOf(sql, id);
  if (!push) return { kind: 'unknown_push' };
  const current = sql
    .exec<{ commit_sha: string; open: string }>('SELECT commit_sha, open FROM mirror')
    .toArray()[0];
  if (push.base !== null && (current?.commit_sha !== push.base || current.open !== push.open)) {
    dropPush(sql, id);
    return { kind: 'other_base', commit: current?.open === push.open ? current.commit_sha : null };
  }
  const before = push.base === null ? undefined : totalsOf(sql, id);
  const change = changedBy(sql, id, push.base === null);
  const came = paths(
    sql,
    `SELECT path FROM staged AS s WHERE push = ? AND sha IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM file AS f WHERE f.path = s.path)`,
    id,
  );
  const staysOut =
    push.base === null
      ? 'path NOT IN (SELECT path FROM staged WHERE push = ?)'
      : 'path IN (SELECT path FROM staged WHERE push = ? AND sha IS NULL)';
  countFolders(sql, came, paths(sql, `DELETE FROM file WHERE ${staysOut} RETURNING path`, id));
  sql.exec(
    `INSERT OR REPLACE INTO file (path, sha, size, mode, modified)
     SELECT path, sha, size, mode, modified FROM staged AS s WHERE push = ? AND sha IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM file AS f WHERE f.path = s.path AND f.sha = s.sha
                     AND f.size = s.size AND f.mode = s.mode AND f.modified = s.modified)`,
    id,
  );
  const { files, bytes } = before ? moved(sql, id, before) : totalsOf(sql);
  sql.exec(
    `INSERT OR REPLACE INTO mirror (one, commit_sha, committed_at, branch, pushed_at, pushed_by, open, allowed_secrets,
       files, bytes, push, push_name)
     SELECT 1, commit_sha, committed_at, branch, ?, by, open, allowed_secrets, ?, ?, id, ? FROM push WHERE id = ?`,
    now,
    files,
    bytes,
    push.name === null ? null : shownName(push.principal, push.name),
    id,
  );
  dropPush(sql, id);
  switched(change);
  return { kind: 'done', commit: push.commit_sha, files };
}

function paths(sql: SqlStorage, query: string, id: string): string[] {
  return sql
    .exec<{ path: string }>(query, id)
    .toArray()
    .map(({ path }) => path);
}

function changedBy(sql: SqlStorage, id: string, isWhole: boolean): Switched {
  const others = `SELECT f.path, s.sha IS NULL AS gone FROM staged AS s JOIN file AS f ON f.path = s.path
    WHERE s.push = ?1 AND s.sha IS NOT f.sha`;
  const gone = 'SELECT path, 1 AS gone FROM file WHERE path NOT IN (SELECT path FROM staged WHERE push = ?1)';
  const changed = sql
    .exec<{ path: string; gone: number }>(
      `${isWhole ? `${others} UNION ALL ${gone}` : others} ORDER BY gone DESC LIMIT ${MAX_CHANGED}`,
      id,
    )
    .toArray();
  const { isNew } = sql
    .exec<{ isNew: number }>(
      `SELECT EXISTS (SELECT 1 FROM staged AS s WHERE push = ? AND sha IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM file AS f WHERE f.path = s.path)) AS isNew`,
      id,
    )
    .one();
  return {
    changed: changed.map(({ path }) => path),
    listChanged: isNew === 1 || changed.length === MAX_CHANGED || changed.some((file) => file.gone === 1),
  };
}

interface Totals {
  readonly files: number;
  readonly bytes: number;
}

/** Counts the files and their bytes: all of them, or those that a push names. */
function totalsOf(sql: SqlStorage, push?: string): Totals {
  const columns = 'count(*) AS files, CAST(total(file.size) AS INTEGER) AS bytes';
  return push === undefined
    ? sql.exec<{ files: number; bytes: number }>(`SELECT ${columns} FROM file`).one()
    : sql
        .exec<{ files: number; bytes: number }>(
          `SELECT ${columns} FROM staged JOIN file ON file.path = staged.path WHERE staged.push = ?`,
          push,
        )
        .one();
}

/** Gives the totals after some files changed. Counting all files again would take too long. */
function moved(sql: SqlStorage, push: string, before: Totals): Totals {
  const { files, bytes } = sql
    .exec<{ files: number; bytes: number }>('SELECT files, bytes FROM mirror')
    .one();
  const after = totalsOf(sql, push);
  return { files: files - before.files + after.files, bytes: bytes - before.bytes + after.bytes };
}
