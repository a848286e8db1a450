import { randomBytes } from 'node:crypto';
import { ends } from '../core/clock.ts';

/** The time that a person has to touch their key. */
export const CHALLENGE_MS = 5 * 60_000;

/** The acts for which a signed-in owner uses a passkey. */
export type Ceremony = 'register' | 'confirm';

export interface Passkey {
  readonly id: string;
  readonly publicKey: ArrayBuffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly seenAt: number | null;
}

type Row = {
  id: string;
  public_key: ArrayBuffer;
  counter: number;
  transports: string;
  name: string;
  created_at: number;
  seen_at: number | null;
};

/** Starts a ceremony. Its challenge works once, and only for its session. */
export function newChallenge(sql: SqlStorage, purpose: Ceremony, session: string, now: number): string {
  const value = randomBytes(32).toString('base64url');
  sql.exec('DELETE FROM challenge WHERE expires_at <= ? OR expires_at > ?', ...ends(CHALLENGE_MS, now));
  sql.exec('INSERT INTO challenge VALUES (?, ?, ?, ?)', value, purpose, session, now + CHALLENGE_MS);
  return value;
}

/** Uses up a challenge. Tells whether it was unused until now. */
export function takeChallenge(
  sql: SqlStorage,
  value: string,
  purpose: Ceremony,
  session: string,
  now: number,
): boolean {
  const taken = sql.exec(
    'DELETE FROM challenge WHERE value = ? AND purpose = ? AND session = ? AND expires_at > ? AND expires_at <= ?',
    value,
    purpose,
    session,
    ...ends(CHALLENGE_MS, now),
  );
  return taken.rowsWritten > 0;
}

/** Records that somebody answered a sign-in's challenge. Tells whether it was the first time. */
export function spendSignInChallenge(sql: SqlStorage, value: string, now: number): boolean {
  sql.exec('DELETE FROM challenge WHERE expires_at <= ?', now);
  const spent = sql.exec(
    "INSERT OR IGNORE INTO challenge VALUES (?, 'sign_in', NULL, ?)",
    value,
    now + CHALLENGE_MS,
  );
  return spent.rowsWritten > 0;
}

export function savePasskey(sql: SqlStorage, key: Omit<Passkey, 'seenAt' | 'createdAt'>, now: number): void {
  sql.exec(
    'INSERT INTO passkey VALUES (?, ?, ?, ?, ?, ?, NULL)',
    key.id,
    key.publicKey,
    key.counter,
    key.transports.join(' '),
    key.name,
    now,
  );
}

export function listPasskeys(sql: SqlStorage): Passkey[] {
  return sql.exec<Row>('SELECT * FROM passkey ORDER BY created_at').toArray().map(passkeyOf);
}

export function findPasskey(sql: SqlStorage, id: string): Passkey | undefined {
  const row = sql.exec<Row>('SELECT * FROM passkey WHERE id = ?', id).toArray()[0];
  return row && passkeyOf(row);
}

/** Records a use. The verifier has already refused a counter that went back, which means a copied key. */
export function notePasskeyUse(sql: SqlStorage, id: string, counter: number, now: number): void {
  sql.exec('UPDATE passkey SET counter = ?, seen_at = ? WHERE id = ?', counter, now, id);
}

export function removePasskey(sql: SqlStorage, id: string): boolean {
  return sql.exec('DELETE FROM passkey WHERE id = ?', id).rowsWritten > 0;
}

function passkeyOf(row: Row): Passkey {
  return {
    id: row.id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports.split(' ').filter(Boolean),
    name: row.name,
    createdAt: row.created_at,
    seenAt: row.seen_at,
  };
}
