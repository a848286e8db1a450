import { isWithin } from '../core/clock.ts';
import { hashSecret, newSecret } from './secrets.ts';

const HOUR = 3_600_000;
/** A session ends after this long without use… */
const IDLE_MS = 12 * HOUR;
/** …and in any case after this long. */
const LIFETIME_MS = 7 * 24 * HOUR;
/** The most that `seen_at` may lag, because a write for every page view would cost too much. */
const SEEN_STEP_MS = 60_000;

export type SignInMethod = 'owner_key' | 'passkey' | 'code';

export interface Session {
  /** The hash's beginning: enough to name the session in a list, useless to open anything. */
  readonly id: string;
  readonly method: SignInMethod;
  readonly agent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** The last time the owner proved who they are: by signing in, a passkey, or the owner key again. */
  readonly provenAt: number | null;
}

type Row = {
  id_hash: string;
  method: SignInMethod;
  agent: string;
  address: string;
  created_at: number;
  seen_at: number;
  expires_at: number;
  proven_at: number | null;
};

/** Starts a session and gives its secret, which is kept nowhere else. */
export function openSession(
  sql: SqlStorage,
  from: { readonly method: SignInMethod; readonly agent: string; readonly address: string },
  now: number,
): { secret: string; session: Session } {
  const secret = newSecret('bwl_sess');
  sql.exec('DELETE FROM session WHERE expires_at <= ?', now);
  sql.exec(
    'INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    hashSecret(secret),
    from.method,
    from.agent.slice(0, 200),
    from.address,
    now,
    now,
    now + IDLE_MS,
    now,
  );
  const session = findSession(sql, secret, now);
  if (!session) throw new Error('A session that was just opened is there.');
  return { secret, session };
}

/** Finds the session of a cookie. Its use keeps the session alive. */
export function findSession(sql: SqlStorage, secret: string, now: number): Session | undefined {
  const hash = hashSecret(secret);
  const row = sql
    .exec<Row>('SELECT * FROM session WHERE id_hash = ? AND expires_at > ?', hash, now)
    .toArray()[0];
  if (!row) return undefined;
  if (!isWithin(SEEN_STEP_MS, row.seen_at, now)) {
    row.seen_at = now;
    // After the clock was set back, the session's life begins now. Otherwise it would last longer than it should.
    row.created_at = Math.min(now, row.created_at);
    row.expires_at = Math.min(now + IDLE_MS, row.created_at + LIFETIME_MS);
    const update = 'UPDATE session SET seen_at = ?, created_at = ?, expires_at = ? WHERE id_hash = ?';
    sql.exec(update, now, row.created_at, row.expires_at, hash);
  }
  return sessionOf(row);
}

export function listSessions(sql: SqlStorage, now: number): Session[] {
  return sql
    .exec<Row>('SELECT * FROM session WHERE expires_at > ? ORDER BY seen_at DESC', now)
    .toArray()
    .map(sessionOf);
}

/** Ends the session with that short id. Tells whether there was one. */
export function closeSession(sql: SqlStorage, id: string): boolean {
  return sql.exec('DELETE FROM session WHERE substr(id_hash, 1, 16) = ?', id).rowsWritten > 0;
}

export function closeAllSessions(sql: SqlStorage): void {
  sql.exec('DELETE FROM session');
}

/** Records the owner's proof. The session continues under a new secret; the old one ends. */
export function proveSession(
  sql: SqlStorage,
  secret: string,
  now: number,
): { secret: string; session: Session } | undefined {
  if (!findSession(sql, secret, now)) return undefined;
  const renewed = newSecret('bwl_sess');
  sql.exec(
    'UPDATE session SET id_hash = ?, proven_at = ? WHERE id_hash = ?',
    hashSecret(renewed),
    now,
    hashSecret(secret),
  );
  const session = findSession(sql, renewed, now);
  return session && { secret: renewed, session };
}

function sessionOf(row: Row): Session {
  return {
    id: row.id_hash.slice(0, 16),
    method: row.method,
    agent: row.agent,
    address: row.address,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    expiresAt: row.expires_at,
    provenAt: row.proven_at,
  };
}
