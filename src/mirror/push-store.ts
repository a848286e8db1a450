import { sha256 } from '../core/call-digest.ts';
import {
  MAX_FILES,
  MAX_UNFINISHED,
  type MoreEntries,
  type NewPush,
  type PushAnswer,
} from '../core/mirror-push.ts';
import { isMirrored, openInBoth } from '../core/path-policy.ts';
import { settingsOf } from './mirror-settings.ts';
import { digestOf, EMPTY_ROW, keepRows, namedTwice, rowsOf } from './push-pieces.ts';
import type { Pusher } from './push-record.ts';

/** A push as it is stored until it is complete. */
export interface PushRow {
  readonly id: string;
  readonly by: string;
  readonly principal: string;
  readonly branch: string | null;
  readonly commit_sha: string;
  readonly committed_at: number;
  readonly base: string | null;
  readonly open: string;
  readonly allowed_secrets: string;
  readonly complete: number;
  readonly name: string | null;
  /** The requests that brought a piece, the rows that these have, and the files. */
  readonly pieces: number;
  readonly rows: number;
  readonly files: number;
  /** The rows whose contents are all in the bucket and in search. */
  readonly ready: number;
}

type Rows<T> = T & Record<string, SqlStorageValue>;

/** Finds the unfinished push of this name and pusher; `undefined` if there is none, or if the push has no name. */
export function unfinished(sql: SqlStorage, { name }: NewPush, { principal }: Pusher): string | undefined {
  if (name === undefined) return undefined;
  return sql
    .exec<{ id: string }>('SELECT id FROM push WHERE name = ? AND principal = ?', name, principal)
    .toArray()[0]?.id;
}

/** Opens a push or goes on with it, or says what the mirror is at if it is not at the base. */
export function openPush(
  sql: SqlStorage,
  push: NewPush,
  { id, by, principal, now }: Pusher & { readonly id: string; readonly now: number },
): PushAnswer | undefined {
  const current = sql
    .exec<{ commit_sha: string; open: string; files: number; push_name: string | null }>(
      'SELECT commit_sha, open, files, push_name FROM mirror',
    )
    .toArray()[0];
  // A push may cover less than the owner opened, never more.
  const both = openInBoth(settingsOf(sql).open, push.open);
  if (both.length === 0) return { kind: 'not_open', path: null };
  const open = JSON.stringify(both);
  // The answer to the last piece got lost, and its pusher sends the push again. What somebody else showed under its
  // name may be something else.
  const isShown =
    push.name !== undefined &&
    current?.push_name === shownName(principal, push.name) &&
    current.commit_sha === push.commit &&
    current.open === open;
  if (isShown && push.base !== push.commit)
    return { kind: 'done', commit: current.commit_sha, files: current.files };
  if (push.base !== null && (current?.commit_sha !== push.base || current.open !== open)) {
    // The differences between two commits do not show what was opened or closed since.
    return { kind: 'other_base', commit: current?.open === open ? current.commit_sha : null };
  }
  const begun = pushOf(sql, id);
  if (begun && !isSaidBy(begun, push, open))
    return { kind: 'wrong_piece', why: 'other', piece: 0, next: begun.pieces };
  if (begun) return stage(sql, id, push, now, 0);
  sql.exec(
    `INSERT INTO push (id, at, by, commit_sha, committed_at, branch, base, open, allowed_secrets, complete, principal, name)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]', 0, ?, ?)`,
    id,
    now,
    by,
    push.commit,
    push.committedAt,
    push.branch,
    push.base,
    open,
    principal,
    push.name ?? null,
  );
  dropEarlier(sql, principal);
  return stage(sql, id, push, now, 0);
}

/** Tells whether a push that was begun says what this one says, besides its files. Its name promises that. */
function isSaidBy(begun: PushRow, { commit, committedAt, branch, base }: NewPush, open: string): boolean {
  const same = begun.commit_sha === commit && begun.committed_at === committedAt && begun.branch === branch;
  return same && begun.base === base && begun.open === open;
}

/** Drops the oldest unfinished pushes of a pusher who has begun more than they may have. */
function dropEarlier(sql: SqlStorage, principal: string): void {
  const earlier = sql
    .exec<{ id: string }>(
      'SELECT id FROM push WHERE principal = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?',
      principal,
      MAX_UNFINISHED,
    )
    .toArray();
  for (const { id } of earlier) dropPush(sql, id);
}

/** Names the push of a shown commit. A name is only what its pusher says, so it counts for nobody else. */
export function shownName(principal: string, name: string): string {
  return `${name} ${principal}`;
}

/** Stores what a push adds and removes. The same piece again changes nothing. */
export function stage(
  sql: SqlStorage,
  id: string,
  { files, removed, complete }: Pick<MoreEntries, 'files' | 'removed' | 'complete'>,
  now: number,
  piece?: number,
): PushAnswer | undefined {
  const push = pushOf(sql, id);
  if (!push) return { kind: 'unknown_push' };
  const brought = rowsOf({ files, removed });
  const rows = brought.length === 0 && push.name !== null ? [EMPTY_ROW] : brought;
  const digest = sha256(`${rows.join('')}${complete}`);
  const { pieces: next, name } = push;
  if (name !== null && piece !== next) {
    const wrong = (why: 'early' | 'changed' | 'complete' | 'unnumbered'): PushAnswer => ({
      ...{ kind: 'wrong_piece', why, piece: piece ?? next, next },
    });
    if (piece === undefined) return wrong('unnumbered');
    if (piece > next) return wrong(push.complete ? 'complete' : 'early');
    if (digestOf(sql, id, piece) !== digest) return wrong('changed');
    goesOn(sql, id, now);
    return undefined;
  }
  if (name !== null && push.complete) return { kind: 'wrong_piece', why: 'complete', piece: next, next };
  // Refuse closed paths here as well, whoever pushes them.
  const open = JSON.parse(push.open) as string[];
  const closed = files.find(({ path }) => !isMirrored(path, { open }));
  if (closed) {
    dropPush(sql, id);
    return { kind: 'not_open', path: closed.path };
  }
  const count = push.files + files.length + removed.length;
  if (count > MAX_FILES) {
    dropPush(sql, id);
    return { kind: 'too_many_files' };
  }
  keepRows(sql, id, { row: push.rows, number: next, digest }, rows);
  sql.exec(
    'UPDATE push SET at = ?, complete = ?, pieces = ?, rows = ?, files = ? WHERE id = ?',
    now,
    complete ? 1 : 0,
    next + 1,
    push.rows + rows.length,
    count,
    id,
  );
  const twice = complete ? namedTwice(sql, id) : undefined;
  if (twice === undefined) return undefined;
  dropPush(sql, id);
  return { kind: 'named_twice', path: twice };
}

export function pushOf(sql: SqlStorage, id: string): PushRow | undefined {
  return sql.exec<Rows<PushRow>>('SELECT * FROM push WHERE id = ?', id).toArray()[0];
}

/** Says that a push is done, if the mirrored commit came with it: its last step may come twice. */
export function shownBy(sql: SqlStorage, id: string): PushAnswer | undefined {
  const shown = sql
    .exec<{ commit_sha: string; files: number }>(
      'SELECT commit_sha, files FROM mirror WHERE push = ? AND push_name IS NOT NULL',
      id,
    )
    .toArray()[0];
  return shown && { kind: 'done', commit: shown.commit_sha, files: shown.files };
}

/** Keeps a push for another day. To write that with each of its steps would cost a row each. */
export function goesOn(sql: SqlStorage, id: string, now: number): void {
  sql.exec('UPDATE push SET at = ? WHERE id = ? AND at < ?', now, id, now - HOUR_MS);
}

const HOUR_MS = 3_600_000;

export function dropPush(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM piece WHERE push = ?', id);
  sql.exec('DELETE FROM push WHERE id = ?', id);
}
