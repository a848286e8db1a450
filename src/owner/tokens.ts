import type { TokenScope } from '../../contracts/contract.ts';
import { isWithin } from '../core/clock.ts';
import { hashSecret, newSecret } from './secrets.ts';

const DAY = 86_400_000;
export const MAX_TOKEN_DAYS = 365;

/** A bearer token that the owner made for a script. */
export interface PersonalToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly createdAt: number;
  readonly seenAt: number | null;
  readonly expiresAt: number;
}

type Row = {
  id: string;
  hash: string;
  name: string;
  scopes: string;
  created_at: number;
  seen_at: number | null;
  expires_at: number;
};

/** Makes a token and gives its secret. Nobody can see the secret again. */
export function createToken(
  sql: SqlStorage,
  asked: { readonly name: string; readonly scopes: readonly TokenScope[]; readonly days: number },
  now: number,
): { secret: string; token: PersonalToken } {
  const secret = newSecret('bwl_pat');
  const row: Row = {
    id: hashSecret(secret).slice(0, 12),
    hash: hashSecret(secret),
    name: asked.name,
    scopes: asked.scopes.join(' '),
    created_at: now,
    seen_at: null,
    expires_at: now + asked.days * DAY,
  };
  sql.exec('DELETE FROM token WHERE expires_at <= ?', now);
  sql.exec(
    'INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?)',
    row.id,
    row.hash,
    row.name,
    row.scopes,
    row.created_at,
    row.seen_at,
    row.expires_at,
  );
  return { secret, token: tokenOf(row) };
}

/** Finds the valid token of a bearer header. */
export function findToken(sql: SqlStorage, secret: string, now: number): PersonalToken | undefined {
  const row = sql
    .exec<Row>('SELECT * FROM token WHERE hash = ? AND expires_at > ?', hashSecret(secret), now)
    .toArray()[0];
  if (!row) return undefined;
  if (!isWithin(60_000, row.seen_at ?? 0, now)) {
    // After the clock was set back, the token's days begin now, or it would outlive them.
    const ahead = Math.max(0, row.created_at - now);
    row.created_at -= ahead;
    row.expires_at -= ahead;
    const update = 'UPDATE token SET seen_at = ?, created_at = ?, expires_at = ? WHERE id = ?';
    sql.exec(update, now, row.created_at, row.expires_at, row.id);
  }
  return tokenOf(row);
}

export function listTokens(sql: SqlStorage, now: number): PersonalToken[] {
  return sql
    .exec<Row>('SELECT * FROM token WHERE expires_at > ? ORDER BY created_at DESC', now)
    .toArray()
    .map(tokenOf);
}

export function revokeToken(sql: SqlStorage, id: string): boolean {
  return sql.exec('DELETE FROM token WHERE id = ?', id).rowsWritten > 0;
}

export function revokeTokensNamed(sql: SqlStorage, name: string): void {
  sql.exec('DELETE FROM token WHERE name = ?', name);
}

export function revokeAllTokens(sql: SqlStorage): void {
  sql.exec('DELETE FROM token');
}

function tokenOf(row: Row): PersonalToken {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes.split(' ') as TokenScope[],
    createdAt: row.created_at,
    seenAt: row.seen_at,
    expiresAt: row.expires_at,
  };
}
