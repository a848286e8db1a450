import {
  MAX_FILES,
  MAX_LACKING,
  type MirroredFile,
  type MoreEntries,
  type NewPush,
  type PushAnswer,
} from '../core/mirror-push.ts';
import { isMirrored, openInBoth } from '../core/path-policy.ts';
import { countFolders } from './folder-totals.ts';
import { settingsOf } from './mirror-settings.ts';
import type { Pusher, Switched } from './push-record.ts';

/** Beyond this number, changed files are not named; followers of the list hear only that it changed. */
const MAX_CHANGED = 100;

/** A push as it is stored until it is complete. */
interface PushRow {
  readonly id: string;
  readonly by: string;
  readonly principal: string;
  readonly branch: string | null;
  readonly commit_sha: string;
  readonly base: string | null;
  readonly complete: number;
}

type Rows<T> = T & Record<string, SqlStorageValue>;

/** Opens a push, or says what the mirror is at if it is not at the base. */
export function openPush(
  sql: SqlStorage,
  push: NewPush,
  { id, by, principal, now }: Pusher & { readonly id: string; readonly now: number },
): PushAnswer | undefined {
  const current = sql
    .exec<{ commit_sha: string; open: string; files: number }>('SELECT commit_sha, open, files FROM mirror')
    .toArray()[0];
  // A push may cover less than the owner opened, never more.
  const both = openInBoth(settingsOf(sql).open, push.open);
  if (both.length === 0) return { kind: 'not_open', path: null };
  const open = JSON.stringify(both);
  if (push.base !== null && (current?.commit_sha !== push.base || current.open !== open)) {
    // The differences between two commits do not show what was opened or closed since.
    return { kind: 'other_base', commit: current?.open === open ? current.commit_sha : null };
  }
  sql.exec(
    `INSERT INTO push (id, at, by, commit_sha, committed_at, branch, base, open, allowed_secrets, complete, principal)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]', 0, ?)`,
    id,
    now,
    by,
    push.commit,
    push.committedAt,
    push.branch,
    push.base,
    open,
    principal,
  );
  return stage(sql, id, push, now);
}

/** Stores what a push adds and removes. */
export function stage(
  sql: SqlStorage,
  id: string,
  { files, removed, complete }: MoreEntries,
  now: number,
): PushAnswer | undefined {
  const open = openOf(sql, id);
  if (!open) return { kind: 'unknown_push' };
  // Refuse closed paths here as well, whoever pushes them.
  const closed = files.find(({ path }) => !isMirrored(path, { open }));
  if (closed) {
    dropPush(sql, id);
    return { kind: 'not_open', path: closed.path };
  }
  for (const file of files) insertStaged(sql, id, file);
  for (const path of removed)
    sql.exec("INSERT OR REPLACE INTO staged VALUES (?, ?, NULL, 0, '', 0)", id, path);
  sql.exec('UPDATE push SET at = ?, complete = ? WHERE id = ?', now, complete ? 1 : 0, id);
  const { count } = sql
    .exec<{ count: number }>('SELECT count(*) AS count FROM staged WHERE push = ?', id)
    .one();
  if (count <= MAX_FILES) return undefined;
  dropPush(sql, id);
  return { kind: 'too_many_files' };
}

function insertStaged(sql: SqlStorage, id: string, { path, sha, size, mode, modified }: MirroredFile): void {
  sql.exec('INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?, ?, ?)', id, path, sha, size, mode, modified);
}

export function pushOf(sql: SqlStorage, id: string): PushRow | undefined {
  return sql
    .exec<Rows<PushRow>>(
      'SELECT id, by, principal, branch, commit_sha, base, complete FROM push WHERE id = ?',
      id,
    )
    .toArray()[0];
}

function openOf(sql: SqlStorage, id: string): string[] | undefined {
  const row = sql.exec<{ open: string }>('SELECT open FROM push WHERE id = ?', id).toArray()[0];
  return row && (JSON.parse(row.open) as string[]);
}

export function dropPush(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM staged WHERE push = ?', id);
  sql.exec('DELETE FROM push WHERE id = ?', id);
}

/** Lists the contents that a push names and the bucket lacks. */
export function lackingOf(sql: SqlStorage, id: string, maxBytes: number): string[] {
  return sql
    .exec<{ sha: string }>(
      `SELECT DISTINCT sha FROM staged WHERE push = ? AND mode LIKE '100%' AND size <= ?
       AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.sha = staged.sha) LIMIT ?`,
      id,
      maxBytes,
      MAX_LACKING,
    )
    .toArray()
    .map(({ sha }) => sha);
}

/** Lists the files of a push that search does not know yet. */
export function unindexed(sql: SqlStorage, id: string, limit: number): MirroredFile[] {
  return sql
    .exec<Rows<MirroredFile>>(
      `SELECT path, sha, size, mode, modified FROM staged AS s WHERE push = ? AND sha IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM doc WHERE doc.path = s.path AND doc.sha = s.sha) LIMIT ?`,
      id,
      limit,
    )
    .toArray();
}

/** Shows the push's commit in place of the earlier one, in the caller's one transaction. Tells what that changes. */
export function switchTo(
  sql: SqlStorage,
  id: string,
  now: number,
  switched: (what: Switched) => void,
): PushAnswer {
  const push = sql.exec<Rows<PushRow & { open: string }>>('SELECT * FROM push WHERE id = ?', id).toArray()[0];
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
                     AND f.mode = s.mode AND f.modified = s.modified)`,
    id,
  );
  const { files, bytes } = before ? moved(sql, id, before) : totalsOf(sql);
  sql.exec(
    `INSERT OR REPLACE INTO mirror
     SELECT 1, commit_sha, committed_at, branch, ?, by, open, allowed_secrets, ?, ? FROM push WHERE id = ?`,
    now,
    files,
    bytes,
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
