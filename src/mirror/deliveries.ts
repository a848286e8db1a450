import type { Announced } from './github-hook.ts';

/** A commit that is still to be fetched. */
export interface Wanted {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  readonly pushedAt: number;
  readonly attempts: number;
}

type WantedRow = {
  repo: string;
  branch: string;
  commit_sha: string;
  pushed_at: number;
  attempts: number;
  due_at: number | null;
};

const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 15_000;

/** Stores an announcement, unless it or a later one was stored before. */
export function takeAnnounced(
  sql: SqlStorage,
  { repo, branch, commit, pushedAt, names }: Announced,
  now: number,
): 'taken' | 'replayed' | 'outdated' {
  const isKnown = (name: string) =>
    sql.exec('SELECT 1 FROM delivery WHERE name = ?', name).toArray().length > 0;
  if (names.some(isKnown)) return 'replayed';
  const before = sql.exec<WantedRow>('SELECT * FROM wanted').toArray()[0];
  if (before && before.repo === repo && before.branch === branch && before.pushed_at > pushedAt)
    return 'outdated';
  for (const name of names) sql.exec('INSERT INTO delivery VALUES (?, ?)', name, now);
  sql.exec(
    'INSERT OR REPLACE INTO wanted VALUES (1, ?, ?, ?, ?, 0, ?, NULL)',
    repo,
    branch,
    commit,
    pushedAt,
    now,
  );
  return 'taken';
}

/** Gives what is due to be fetched now. */
export function dueWanted(sql: SqlStorage, now: number): Wanted | undefined {
  const row = sql.exec<WantedRow>('SELECT * FROM wanted WHERE due_at <= ?', now).toArray()[0];
  return (
    row && {
      repo: row.repo,
      branch: row.branch,
      commit: row.commit_sha,
      pushedAt: row.pushed_at,
      attempts: row.attempts,
    }
  );
}

export function nextWanted(sql: SqlStorage): number | undefined {
  return sql.exec<{ due_at: number | null }>('SELECT due_at FROM wanted').toArray()[0]?.due_at ?? undefined;
}

/** Records how a fetch ended. A failure that may pass is tried again, each time after a longer wait. */
export function settleWanted(
  sql: SqlStorage,
  { commit, attempts }: Wanted,
  end: { readonly problem: string | null; readonly again: boolean },
  now: number,
): void {
  const next = end.again && attempts + 1 < MAX_ATTEMPTS ? now + FIRST_WAIT_MS * 4 ** attempts : null;
  // A later announcement may have replaced this one meanwhile.
  sql.exec(
    'UPDATE wanted SET due_at = ?, attempts = attempts + 1, problem = ? WHERE commit_sha = ?',
    next,
    end.problem,
    commit,
  );
}
