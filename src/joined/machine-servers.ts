import type { Sql } from '../storage/sql.ts';
import type { Conformity } from './conform.ts';
import { bump, keepConformity, removeServer, rowOf, type ServerRow } from './servers.ts';

/**
 * Stores what a machine says of its servers each time it connects. If another server already has a name, that server
 * keeps it.
 */
export function takeMachineServers(
  sql: Sql,
  machine: { readonly id: string; readonly name: string },
  servers: readonly { readonly name: string; readonly conformity: Conformity }[],
  now: number,
): { changed: string[]; gone: string[] } {
  sql.exec('DELETE FROM server_clash WHERE machine = ?', machine.id);
  const before = sql.exec<ServerRow>('SELECT * FROM server WHERE machine = ?', machine.id).toArray();
  const names = new Set(servers.map(({ name }) => name));
  const gone = before
    .filter(({ name }) => !names.has(name))
    .flatMap(({ name }) => removeServer(sql, name) ?? []);
  const changed: string[] = [];
  for (const { name, conformity } of servers) {
    const known = rowOf(sql, name);
    if (known && known.machine !== machine.id) {
      sql.exec('INSERT INTO server_clash VALUES (?, ?, ?)', name, machine.id, machine.name);
      continue;
    }
    if (!known) {
      const insert = 'INSERT INTO server (name, machine, machine_name, added_at) VALUES (?, ?, ?, ?)';
      sql.exec(insert, name, machine.id, machine.name, now);
      bump(sql);
    } else if (known.machine_name !== machine.name) {
      sql.exec('UPDATE server SET machine_name = ? WHERE name = ?', machine.name, name);
      bump(sql);
    }
    changed.push(...keepConformity(sql, name, conformity, now));
  }
  return { changed, gone };
}
