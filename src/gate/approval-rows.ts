import type { Risk } from '../../contracts/contract.ts';
import { type Approval, normalizeCode, view } from '../core/approval.ts';
import type { Sql } from '../storage/sql.ts';
import type { GateCall, ShownPreview } from './messages.ts';

/** An approval with all that the person who decides has to see. */
export interface FullApproval extends Approval {
  readonly client: string;
  readonly tool: string;
  readonly machine: string | null;
  /** The open folder that it works in. */
  readonly root: string | null;
  readonly risk: Risk;
  /** The effect of the call, as the owner sees it. */
  readonly shown: ShownPreview;
  /** The owner's sentence with a no. */
  readonly note: string | null;
  /** The reason of the model, in its own words. */
  readonly reason: string | null;
  /** The exact arguments, in canonical JSON. */
  readonly args: string;
  /** The same arguments with their keys in the order in which they came. No page shows it. */
  readonly sent: string;
}

/** A row of the table. */
export type Row = {
  id: string;
  code: string;
  digest: string;
  principal: string;
  client: string;
  tool: string;
  machine: string | null;
  risk: Risk;
  state: Approval['state'];
  opened_at: number;
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  consumed_at: number | null;
  told: number;
  root: string | null;
  shown: string | null;
  seen: string | null;
  note: string | null;
  reason: string | null;
};

/** Finds the newest approval of a call. */
export function latestOf(
  sql: Sql,
  { principal, digest }: Pick<GateCall, 'principal' | 'digest'>,
): Approval | undefined {
  // Those from before approvals were numbered have their times alone.
  const query =
    'SELECT * FROM approval WHERE principal = ? AND digest = ? ORDER BY turn DESC, opened_at DESC LIMIT 1';
  const row = sql.exec<Row>(query, principal, digest).toArray()[0];
  return row && approvalOf(row);
}

/** Finds the approval with that id. */
export function findById(sql: Sql, id: string): Approval | undefined {
  const row = sql.exec<Row>('SELECT * FROM approval WHERE id = ?', id).toArray()[0];
  return row && approvalOf(row);
}

/** Finds the approval with that code, however it is typed. */
export function findByCode(sql: Sql, code: string): Approval | undefined {
  const row = rowByCode(sql, code);
  return row && approvalOf(row);
}

/** Finds the row with that code, however it is typed. */
export function rowByCode(sql: Sql, code: string): Row | undefined {
  const meant = normalizeCode(code);
  return meant === undefined
    ? undefined
    : sql.exec<Row>('SELECT * FROM approval WHERE code = ?', meant).toArray()[0];
}

/** Stores the state of an approval. */
export function save(sql: Sql, approval: Approval): void {
  sql.exec(
    `UPDATE approval SET state = ?, expires_at = ?, decided_at = ?, decided_by = ?, consumed_at = ?, told = ?
     WHERE id = ?`,
    approval.state,
    approval.expiresAt,
    approval.decidedAt,
    approval.decidedBy,
    approval.consumedAt,
    approval.told ? 1 : 0,
    approval.id,
  );
}

/** Gives an approval without the details that the owner sees. */
export function approvalOf(row: Row): Approval {
  return {
    id: row.id,
    code: row.code,
    digest: row.digest,
    principal: row.principal,
    state: row.state,
    openedAt: row.opened_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    consumedAt: row.consumed_at,
    told: row.told === 1,
  };
}

/** Gives an approval's arguments if they are no longer than that; `undefined` for others, which it does not read. */
export function shortArgs(sql: Sql, approval: string, maxBytes: number): string | undefined {
  const of = 'FROM approval_args WHERE approval = ? AND part >= 0';
  const size = `SELECT coalesce(sum(octet_length(text)), 0) AS bytes ${of}`;
  if (sql.exec<{ bytes: number }>(size, approval).one().bytes > maxBytes) return undefined;
  const parts = sql.exec<{ text: string }>(`SELECT text ${of} ORDER BY part`, approval).toArray();
  return parts.map(({ text }) => text).join('') || undefined;
}

/** Gives an approval with all that the owner sees. */
export function full(sql: Sql, row: Row, now: number): FullApproval {
  const parts = sql
    .exec<{ part: number; text: string }>(
      'SELECT part, text FROM approval_args WHERE approval = ? ORDER BY part',
      row.id,
    )
    .toArray();
  const joined = (some: typeof parts) => some.map(({ text }) => text).join('');
  const args = joined(parts.filter(({ part }) => part >= 0));
  const { client, tool, machine, root, risk, note, reason } = row;
  return {
    ...view(approvalOf(row), now),
    client,
    tool,
    machine,
    root,
    risk,
    note,
    reason,
    shown: row.shown === null ? { why: 'It was asked for by an earlier version.' } : JSON.parse(row.shown),
    args,
    sent: joined(parts.filter(({ part }) => part < 0)) || args,
  };
}
