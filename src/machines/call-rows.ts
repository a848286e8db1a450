import { LINK } from '../../contracts/link.ts';
import { isWithin } from '../core/clock.ts';
import type { Piece } from '../core/link-pieces.ts';
import { joined } from './incoming.ts';
import type { LinkSql, MachineCall } from './link-ports.ts';

export type CallState = 'open' | 'done' | 'failed' | 'unknown' | 'not_run';

/** The stored row of a call that changes something. */
export interface CallRow {
  readonly id: string;
  readonly tool: string;
  readonly principal: string;
  readonly client: string;
  readonly digest: string;
  readonly seen: string | null;
  readonly reason: string | null;
  readonly state: CallState;
  readonly n: number;
  readonly journal: string;
  readonly cancelled: number;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly expires_at: number;
}

/** The columns of a `CallRow`. The text of the call is left out, because many calls may be open. */
const COLUMNS = `id, tool, principal, client, digest, seen, reason, state, n, journal, cancelled,
  started_at, finished_at, expires_at`;

type Row = CallRow & Record<string, string | number | null>;
type Part = 'args' | 'result';

export function insertCall(sql: LinkSql, call: MachineCall, n: number, journal: string, now: number): void {
  const bytes = new TextEncoder().encode(call.text);
  const fits = bytes.length <= LINK.inline;
  sql.exec(
    "INSERT INTO call VALUES (?, ?, ?, ?, ?, 'open', ?, ?, 0, ?, NULL, ?, ?, ?, ?)",
    call.id,
    call.tool,
    call.principal,
    call.client,
    call.digest,
    n,
    journal,
    now,
    now + call.timeoutMs,
    call.seen ?? null,
    call.reason ?? null,
    fits ? bytes.slice().buffer : null,
  );
  if (fits) return;
  for (let at = 0; at < bytes.length; at += LINK.inline) {
    addPiece(sql, call.id, 'args', at, bytes.subarray(at, at + LINK.inline));
  }
}

/** Gives the text of an open call. One that came in pieces, or with an earlier version, is not in the call's row. */
export function textOfCall(sql: LinkSql, id: string): string {
  const [row] = sql.exec<{ args: ArrayBuffer | null }>('SELECT args FROM call WHERE id = ?', id).toArray();
  return new TextDecoder().decode(row?.args ?? wholeOf(sql, id, 'args'));
}

export function callById(sql: LinkSql, id: string): CallRow | undefined {
  return sql.exec<Row>(`SELECT ${COLUMNS} FROM call WHERE id = ?`, id).toArray()[0];
}

/** Finds the open call that was last sent by this number. */
export function openByNumber(sql: LinkSql, n: number): CallRow | undefined {
  return sql.exec<Row>(`SELECT ${COLUMNS} FROM call WHERE n = ? AND state = 'open'`, n).toArray()[0];
}

/** Lists calls without a known outcome, oldest first. */
export function openCalls(sql: LinkSql): CallRow[] {
  return sql.exec<Row>(`SELECT ${COLUMNS} FROM call WHERE state = 'open' ORDER BY started_at, id`).toArray();
}

/** Tells if a call's time is not over. */
export function isWanted({ started_at, expires_at }: CallRow, now: number): boolean {
  return isWithin(expires_at - started_at, started_at, now);
}

/** Records that a call is sent again. What had arrived of its result is void. */
export function resent(sql: LinkSql, id: string, n: number): void {
  sql.exec('UPDATE call SET n = ? WHERE id = ?', n, id);
  sql.exec("DELETE FROM piece WHERE call = ? AND part = 'result'", id);
}

export function markCancelled(sql: LinkSql, id: string): void {
  sql.exec('UPDATE call SET cancelled = 1 WHERE id = ?', id);
}

/** Records the end of an open call. Its arguments are not needed any more. */
export function finishCall(sql: LinkSql, id: string, state: CallState, now: number): void {
  const query = "UPDATE call SET state = ?, finished_at = ?, args = NULL WHERE id = ? AND state = 'open'";
  sql.exec(query, state, now, id);
  const part = state === 'done' || state === 'failed' ? "AND part = 'args'" : '';
  sql.exec(`DELETE FROM piece WHERE call = ? ${part}`, id);
}

function addPiece(sql: LinkSql, id: string, part: Part, at: number, bytes: Uint8Array): void {
  sql.exec('INSERT INTO piece VALUES (?, ?, ?, ?)', id, part, at, bytes.slice().buffer);
}

/** Stores the next piece of an open call's result, and ends the call with the last one. */
export function keepPiece(
  sql: LinkSql,
  id: string,
  { at, total, bytes, isOk }: Piece,
  now: number,
): 'known' | 'out of turn' | 'part' | 'whole' {
  const got = lengthOf(sql, id, 'result');
  if (at !== got) return at < got ? 'known' : 'out of turn';
  addPiece(sql, id, 'result', at, bytes);
  if (at + bytes.length < total) return 'part';
  finishCall(sql, id, isOk ? 'done' : 'failed', now);
  return 'whole';
}

/** Counts the bytes of a result that have arrived. */
export function lengthOf(sql: LinkSql, id: string, part: Part): number {
  const query = 'SELECT coalesce(sum(length(bytes)), 0) AS length FROM piece WHERE call = ? AND part = ?';
  return sql.exec<{ length: number }>(query, id, part).toArray()[0]?.length ?? 0;
}

/** Reads the piece that begins at a place. */
export function pieceAt(sql: LinkSql, id: string, part: Part, at: number): Uint8Array | undefined {
  const query = 'SELECT bytes FROM piece WHERE call = ? AND part = ? AND at = ?';
  const row = sql.exec<{ bytes: ArrayBuffer }>(query, id, part, at).toArray()[0];
  return row && new Uint8Array(row.bytes);
}

export function wholeOf(sql: LinkSql, id: string, part: Part): Uint8Array {
  const pieces = sql
    .exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM piece WHERE call = ? AND part = ? ORDER BY at', id, part)
    .toArray()
    .map(({ bytes }) => new Uint8Array(bytes));
  return joined(
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}

/** The most bytes that all kept results of a machine may take. The oldest go first. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** Drops calls that are older than a day or over the limit. Tells whether anything is left to watch. */
export function forgetCalls(sql: LinkSql, now: number): boolean {
  const drop = (ids: readonly { id: string }[]) => {
    for (const { id } of ids) {
      sql.exec('DELETE FROM piece WHERE call = ?', id);
      sql.exec('DELETE FROM call WHERE id = ?', id);
    }
  };
  drop(sql.exec<{ id: string }>('SELECT id FROM call WHERE finished_at < ?', now - LINK.keptMs).toArray());
  drop(
    sql
      .exec<{ id: string }>(
        `SELECT id FROM (
           SELECT call.id, sum(bytes) OVER (ORDER BY finished_at DESC, call.id) AS upto FROM call
           JOIN (SELECT call AS id, sum(length(bytes)) AS bytes FROM piece GROUP BY call) USING (id)
           WHERE finished_at IS NOT NULL
         ) WHERE upto > ?`,
        MAX_KEPT_BYTES,
      )
      .toArray(),
  );
  return sql.exec('SELECT 1 AS one FROM call LIMIT 1').toArray().length > 0;
}
