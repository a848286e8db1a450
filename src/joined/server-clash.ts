import type { Sql } from '../storage/sql.ts';

/** Names the machines that started a server under another server's name. */
export function clashOf(sql: Sql, name: string): string | null {
  const machines = sql
    .exec<{ name: string }>('SELECT machine_name AS name FROM server_clash WHERE name = ? ORDER BY 1', name)
    .toArray();
  if (machines.length === 0) return null;
  const others = machines.map((machine) => machine.name).join(', ');
  return `There is a server of this name on ${others} as well, which is left out: give it another name in bridge.json there.`;
}
