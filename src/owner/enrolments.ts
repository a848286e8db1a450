import { randomBytes } from 'node:crypto';
import { approvalCode, normalizeCode } from '../core/approval.ts';
import { isWithin, lately } from '../core/clock.ts';
import { networkOf } from './address.ts';
import { addMachine, isNameTaken, type Machine, machineById, machineByKey } from './registry.ts';
import { hashSecret } from './secrets.ts';

/** The time that the owner has to confirm. */
const LIFETIME_MS = 10 * 60_000;
/** The time for which the machine can fetch the answer. */
const KEPT_MS = 60 * 60_000;
/**
 * The most machines that may wait at once: enough for everything one person has, too few to fill a page with
 * noise.
 */
const MAX_PENDING = 20;
export const MAX_PENDING_FROM = 3;

/** A machine that waits for the owner to confirm it. */
interface Enrolment {
  readonly code: string;
  readonly name: string;
  readonly publicKey: string;
  readonly address: string;
  readonly openedAt: number;
  readonly expiresAt: number;
}

/** The state of an enrolment, as its machine learns it. */
export type EnrolmentState =
  | { readonly state: 'pending' | 'denied' | 'expired' | 'unknown' }
  | { readonly state: 'confirmed'; readonly machine: Pick<Machine, 'id' | 'name'> };

export type NotConfirmed =
  | 'not_found'
  | 'expired'
  | 'decided'
  | 'wrong_fingerprint'
  | 'name_taken'
  | 'key_paired';

type Row = {
  id_hash: string;
  code: string;
  name: string;
  public_key: string;
  address: string;
  state: 'pending' | 'confirmed' | 'denied';
  machine: string | null;
  opened_at: number;
  expires_at: number;
};

/** Opens an enrolment in place of an earlier one of the same key, or says that too many wait. */
export function openEnrolment(
  sql: SqlStorage,
  asked: { readonly name: string; readonly publicKey: string; readonly address: string },
  now: number,
): { secret: string; enrolment: Enrolment } | 'too_many_pending' {
  sql.exec('DELETE FROM enrolment WHERE opened_at <= ?', now - KEPT_MS);
  sql.exec("DELETE FROM enrolment WHERE public_key = ? AND state = 'pending'", asked.publicKey);
  const waiting = listEnrolments(sql, now);
  const sameAddress = waiting.filter(({ address }) => networkOf(address) === networkOf(asked.address));
  if (waiting.length >= MAX_PENDING || sameAddress.length >= MAX_PENDING_FROM) return 'too_many_pending';
  const secret = `bwl_pair_${randomBytes(32).toString('base64url')}`;
  const enrolment: Enrolment = {
    ...asked,
    code: freshCode(sql),
    openedAt: now,
    expiresAt: now + LIFETIME_MS,
  };
  sql.exec(
    "INSERT INTO enrolment VALUES (?, ?, ?, ?, ?, 'pending', NULL, ?, ?)",
    hashSecret(secret),
    enrolment.code,
    enrolment.name,
    enrolment.publicKey,
    enrolment.address,
    enrolment.openedAt,
    enrolment.expiresAt,
  );
  return { secret, enrolment };
}

/** Lists the waiting enrolments, oldest first. */
export function listEnrolments(sql: SqlStorage, now: number): Enrolment[] {
  return sql
    .exec<Row>(
      "SELECT * FROM enrolment WHERE state = 'pending' AND opened_at > ? AND opened_at <= ? ORDER BY opened_at, code",
      ...lately(LIFETIME_MS, now),
    )
    .toArray()
    .map(enrolmentOf);
}

export function enrolmentByCode(sql: SqlStorage, code: string, now: number): Enrolment | undefined {
  const row = rowByCode(sql, code);
  return row?.state === 'pending' && isOpen(row, now) ? enrolmentOf(row) : undefined;
}

/** Gives the state to the machine that holds the secret. */
export function enrolmentState(sql: SqlStorage, secret: string, now: number): EnrolmentState {
  const row = sql.exec<Row>('SELECT * FROM enrolment WHERE id_hash = ?', hashSecret(secret)).toArray()[0];
  if (!row) return { state: 'unknown' };
  if (row.state === 'denied') return { state: 'denied' };
  if (row.state === 'pending') return { state: isOpen(row, now) ? 'pending' : 'expired' };
  const machine = row.machine === null ? undefined : machineById(sql, row.machine);
  return machine
    ? { state: 'confirmed', machine: { id: machine.id, name: machine.name } }
    : { state: 'denied' };
}

/** Records the owner's yes to the machine of that code, if it has the key that the owner saw. */
export function confirmEnrolment(
  sql: SqlStorage,
  { code, publicKey, name }: { readonly code: string; readonly publicKey: string; readonly name: string },
  now: number,
): Machine | NotConfirmed {
  const row = rowByCode(sql, code);
  if (!row) return 'not_found';
  if (row.state !== 'pending') return 'decided';
  if (!isOpen(row, now)) return 'expired';
  if (row.public_key !== publicKey) return 'wrong_fingerprint';
  if (isNameTaken(sql, name)) return 'name_taken';
  if (machineByKey(sql, publicKey)) return 'key_paired';
  const machine = addMachine(sql, { name, publicKey }, now);
  sql.exec("UPDATE enrolment SET state = 'confirmed', machine = ? WHERE code = ?", machine.id, row.code);
  return machine;
}

/** Records the owner's no. Tells whether there was anything to refuse. */
export function denyEnrolment(sql: SqlStorage, code: string, now: number): boolean {
  const row = rowByCode(sql, code);
  if (row?.state !== 'pending' || !isOpen(row, now)) return false;
  return sql.exec("UPDATE enrolment SET state = 'denied' WHERE code = ?", row.code).rowsWritten > 0;
}

function isOpen({ opened_at }: Row, now: number): boolean {
  return isWithin(LIFETIME_MS, opened_at, now);
}

function freshCode(sql: SqlStorage): string {
  for (;;) {
    const code = approvalCode(randomBytes(8));
    if (!rowByCode(sql, code)) return code;
  }
}

function rowByCode(sql: SqlStorage, code: string): Row | undefined {
  return sql.exec<Row>('SELECT * FROM enrolment WHERE code = ?', normalizeCode(code)).toArray()[0];
}

function enrolmentOf(row: Row): Enrolment {
  return {
    code: row.code,
    name: row.name,
    publicKey: row.public_key,
    address: row.address,
    openedAt: row.opened_at,
    expiresAt: row.expires_at,
  };
}
