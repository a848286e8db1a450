import { randomBytes } from 'node:crypto';

/** A machine that the owner confirmed. */
export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
  readonly isDefault: boolean;
  readonly pairedAt: number;
}

type Row = {
  id: string;
  name: string;
  public_key: string;
  is_default: number;
  paired_at: number;
};

const LIVE = 'SELECT id, name, public_key, is_default, paired_at FROM machine WHERE revoked_at IS NULL';

/** Lists the valid machines by name. */
export function listMachines(sql: SqlStorage): Machine[] {
  return sql.exec<Row>(`${LIVE} ORDER BY name COLLATE NOCASE`).toArray().map(machineOf);
}

export function machineById(sql: SqlStorage, id: string): Machine | undefined {
  return sql.exec<Row>(`${LIVE} AND id = ?`, id).toArray().map(machineOf)[0];
}

export function machineByKey(sql: SqlStorage, publicKey: string): Machine | undefined {
  return sql.exec<Row>(`${LIVE} AND public_key = ?`, publicKey).toArray().map(machineOf)[0];
}

/** Tells whether another machine has that name. To a person, `Mini` and `mini` are one name. */
export function isNameTaken(sql: SqlStorage, name: string, except = ''): boolean {
  return sql.exec(`${LIVE} AND name = ? COLLATE NOCASE AND id <> ?`, name, except).toArray().length > 0;
}

/** Adds a machine under an id that nobody can guess. */
export function addMachine(
  sql: SqlStorage,
  { name, publicKey }: { readonly name: string; readonly publicKey: string },
  now: number,
): Machine {
  const id = `m_${randomBytes(16).toString('hex')}`;
  sql.exec('INSERT INTO machine VALUES (?, ?, ?, 0, ?, NULL)', id, name, publicKey, now);
  return { id, name, publicKey, isDefault: false, pairedAt: now };
}

/** The reason why a machine was not changed. */
export type Unchanged = 'not_found' | 'name_taken';

export function renameMachine(sql: SqlStorage, id: string, name: string): Machine | Unchanged {
  if (!machineById(sql, id)) return 'not_found';
  if (isNameTaken(sql, name, id)) return 'name_taken';
  sql.exec('UPDATE machine SET name = ? WHERE id = ?', name, id);
  return machineById(sql, id) ?? 'not_found';
}

/** Makes a machine the default for calls without a `machine`. With `null`, no machine is. */
export function setDefaultMachine(sql: SqlStorage, id: string | null): boolean {
  if (id !== null && !machineById(sql, id)) return false;
  sql.exec('UPDATE machine SET is_default = 0 WHERE is_default = 1');
  if (id !== null) sql.exec('UPDATE machine SET is_default = 1 WHERE id = ?', id);
  return true;
}

/**
 * Shuts a machine out from now on. Its row stays until `forgetMachine`, so that closing its sockets can be
 * tried again.
 */
export function markRevoked(sql: SqlStorage, id: string, now: number): boolean {
  const update = 'UPDATE machine SET revoked_at = ?, is_default = 0 WHERE id = ? AND revoked_at IS NULL';
  sql.exec('DELETE FROM enrolment WHERE machine = ?', id);
  return sql.exec(update, now, id).rowsWritten > 0;
}

export function markAllRevoked(sql: SqlStorage, now: number): void {
  sql.exec('DELETE FROM enrolment');
  sql.exec('UPDATE machine SET revoked_at = ?, is_default = 0 WHERE revoked_at IS NULL', now);
}

/** Lists machines that were shut out and may still have open sockets. */
export function revokedMachines(sql: SqlStorage): string[] {
  return sql
    .exec<{ id: string }>('SELECT id FROM machine WHERE revoked_at IS NOT NULL')
    .toArray()
    .map(({ id }) => id);
}

export function forgetMachine(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM machine WHERE id = ? AND revoked_at IS NOT NULL', id);
}

function machineOf(row: Row): Machine {
  return {
    id: row.id,
    name: row.name,
    publicKey: row.public_key,
    isDefault: row.is_default === 1,
    pairedAt: row.paired_at,
  };
}
