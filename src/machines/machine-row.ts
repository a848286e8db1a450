import { EPOCHS_SINCE, type MachineAbout, machineAbout } from '../../contracts/link.ts';
import { SANDBOXES } from '../../contracts/sandboxes.ts';
import type { Arrival, LinkSql } from './link-ports.ts';
import type { MachineStatus } from './machine-port.ts';

/** The facts that the object knows about its machine. */
export interface Enrolled {
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
  readonly origin: string;
}

type Row = {
  id: string;
  name: string;
  public_key: string;
  origin: string;
  revoked: number;
  epoch: number;
  confirmed: number;
  protocol: number;
  journal: string | null;
  about: string | null;
  sandbox: string | null;
  online_since: number | null;
  offline_since: number | null;
};

function rowOf(sql: LinkSql): Row | undefined {
  return sql.exec<Row>('SELECT * FROM machine').toArray()[0];
}

/** Gives the machine, unless there is none or it was revoked. */
export function enrolled(sql: LinkSql): Enrolled | undefined {
  const row = rowOf(sql);
  if (!row || row.revoked === 1) return undefined;
  return { id: row.id, name: row.name, publicKey: row.public_key, origin: row.origin };
}

/** Enrols a machine, or updates what is known about it. A revoked one stays revoked. */
export function enrol(sql: LinkSql, { id, name, publicKey, origin }: Enrolled): void {
  sql.exec(
    `INSERT INTO machine (one, id, name, public_key, origin) VALUES (1, ?, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE SET name = excluded.name, public_key = excluded.public_key, origin = excluded.origin`,
    id,
    name,
    publicKey,
    origin,
  );
}

export function rename(sql: LinkSql, name: string): void {
  sql.exec('UPDATE machine SET name = ?', name);
}

export function revoke(sql: LinkSql): void {
  sql.exec("UPDATE machine SET revoked = 1, public_key = ''");
}

/** Gives the version of the protocol that the newest connection speaks. */
export function protocolOf(sql: LinkSql): number {
  return rowOf(sql)?.protocol ?? 0;
}

export function epochOf(sql: LinkSql): number {
  return sql.exec<{ epoch: number }>('SELECT epoch FROM machine').toArray()[0]?.epoch ?? 0;
}

export function journalOf(sql: LinkSql): string {
  return sql.exec<{ journal: string | null }>('SELECT journal FROM machine').toArray()[0]?.journal ?? '';
}

/**
 * Tells how a machine that proved its key stands to the machine that was connected before. `same` continues. `new` does
 * not know what the earlier one began. `ahead` stored a connection that this side does not know, so this side was put
 * back to an older state. `copied` is an older state of the machine, or a copy: the other one has been connected since.
 */
export function standingOf(sql: LinkSql, { journal, epoch }: Arrival): 'same' | 'new' | 'ahead' | 'copied' {
  const row = rowOf(sql);
  if (!row || row.journal === null) return 'new';
  if (epoch === undefined) {
    // An older version cannot read a newer journal. If it has the same one, it has a copy from before the update.
    if (row.journal !== journal) return 'new';
    return row.protocol < EPOCHS_SINCE ? 'same' : 'copied';
  }
  if (epoch > row.epoch) return 'ahead';
  if (row.journal === journal) return epoch < row.confirmed ? 'copied' : 'same';
  return epoch === 0 ? 'new' : 'copied';
}

/** Stores a connection and gives its epoch, higher than any before. */
export function arrived(
  sql: LinkSql,
  { protocol, journal, epoch: stored, about, sandbox }: Arrival,
  now: number,
): number {
  const epoch = Math.max(epochOf(sql), stored ?? 0) + 1;
  sql.exec(
    `UPDATE machine SET epoch = ?, journal = ?, about = ?, sandbox = ?, online_since = ?, protocol = ?,
       confirmed = CASE WHEN journal IS ? THEN confirmed ELSE 0 END`,
    epoch,
    journal,
    JSON.stringify(about),
    sandbox ?? null,
    now,
    protocol,
    journal,
  );
  return epoch;
}

/** Records that the machine stored the connection. Tells whether that was not known yet. */
export function confirm(sql: LinkSql, epoch: number): boolean {
  if (isConfirmed(sql)) return false;
  sql.exec('UPDATE machine SET confirmed = ? WHERE epoch = ?', epoch, epoch);
  return isConfirmed(sql);
}

/** Tells whether the machine may get calls that change something over its newest connection. */
export function isConfirmed(sql: LinkSql): boolean {
  const row = rowOf(sql);
  return row !== undefined && (row.protocol < EPOCHS_SINCE || row.confirmed === row.epoch);
}

export function left(sql: LinkSql, now: number): void {
  sql.exec('UPDATE machine SET offline_since = ?', now);
}

/**
 * Records that a machine left now, if it was connected before. A restart cuts sockets without closing them.
 */
export function missed(sql: LinkSql, now: number): void {
  sql.exec('UPDATE machine SET offline_since = ? WHERE online_since > coalesce(offline_since, 0)', now);
}

export function offlineSince(sql: LinkSql): number | null {
  const row = sql.exec<{ at: number | null }>('SELECT offline_since AS at FROM machine').toArray()[0];
  return row?.at ?? null;
}

export function statusOf(sql: LinkSql, online: boolean, lastSeen: number | null): MachineStatus {
  const row = rowOf(sql);
  const about: MachineAbout | undefined = row?.about ? machineAbout.parse(JSON.parse(row.about)) : undefined;
  return {
    online,
    since: (online ? row?.online_since : row?.offline_since) ?? row?.online_since ?? null,
    roots: about?.roots ?? [],
    tools: about?.tools ?? [],
    version: about?.version ?? null,
    // A newer machine may have one that this version does not know.
    sandbox: SANDBOXES.find((one) => one === row?.sandbox) ?? null,
    lastSeen: lastSeen ?? row?.offline_since ?? null,
  };
}
