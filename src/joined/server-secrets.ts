import type { Sql } from '../storage/sql.ts';

/** Gives the gateway's credential for a server, as JSON. */
export function secretOf(sql: Sql, server: string): string | null {
  const query = 'SELECT body FROM server_secret WHERE server = ?';
  return sql.exec<{ body: string }>(query, server).toArray()[0]?.body ?? null;
}

/** Stores the credential of a server that exists, or removes it. */
export function keepSecret(sql: Sql, server: string, body: string | null): void {
  if (body === null) {
    sql.exec('DELETE FROM server_secret WHERE server = ?', server);
    return;
  }
  sql.exec(
    `INSERT INTO server_secret SELECT name, ? FROM server WHERE name = ?
     ON CONFLICT (server) DO UPDATE SET body = excluded.body`,
    body,
    server,
  );
}
