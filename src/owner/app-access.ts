import { randomBytes } from 'node:crypto';

/** Records that an app was let in. Gives the name by which its tokens refer to that record. */
export function grantAccess(sql: SqlStorage, now: number): string {
  const id = randomBytes(16).toString('base64url');
  sql.exec('INSERT INTO access VALUES (?, ?)', id, now);
  return id;
}

export function hasAccess(sql: SqlStorage, id: string): boolean {
  return sql.exec('SELECT 1 FROM access WHERE id = ?', id).toArray().length > 0;
}

export function endAccess(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM access WHERE id = ?', id);
}

export function endAllAccess(sql: SqlStorage): void {
  sql.exec('DELETE FROM access');
}
