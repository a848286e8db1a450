import type { Sql } from '../storage/sql.ts';
import type { GateCall } from './messages.ts';
import type { RecentCalls } from './recent-calls.ts';

const MINUTE = 60_000;

/**
 * Selects the times of the calls that count: those that were let in, and others that somebody was asked
 * about. Leaves out the call that asks, even if it comes back for its own approval.
 */
const COUNTED = `SELECT at FROM call WHERE counted = 1 AND principal = ?1 AND tool = ?2 AND at > ?3
  UNION ALL SELECT at FROM asked WHERE principal = ?1 AND tool = ?2 AND at > ?3
    AND call_id <> ?4 AND waits_as IS NOT ?5`;

/**
 * Gives the milliseconds until one more call fits into the last minute. 0 means now. The database is the
 * sliding log. `recent` avoids reading it while the last minute is far from full.
 */
export function rateWait(
  sql: Sql,
  call: GateCall,
  perMinute: number,
  now: number,
  recent?: RecentCalls,
): number {
  if (perMinute < 1) return MINUTE;
  const { principal, tool } = call;
  const most = recent?.atMost(principal, tool, now);
  if (most !== undefined && most < perMinute) return 0;
  if (recent && most === undefined) {
    const { n, last } = callsSince(sql, call, now - MINUTE);
    // A clock that went back leaves times in the future. They belong to later minutes.
    if (last <= now) recent.learn(principal, tool, now, n);
  }
  const blocking = sql
    .exec<{ at: number }>(
      `${COUNTED} ORDER BY at DESC LIMIT 1 OFFSET ?6`,
      principal,
      tool,
      now - MINUTE,
      call.callId,
      call.digest,
      perMinute - 1,
    )
    .toArray()[0];
  return blocking ? blocking.at + MINUTE - now : 0;
}

/** Counts the call that asks too. If that counts it twice, the database is only read sooner. */
function callsSince(sql: Sql, { principal, tool }: GateCall, since: number) {
  return sql
    .exec<{ n: number; last: number }>(
      `SELECT count(*) AS n, coalesce(max(at), 0) AS last FROM (${COUNTED})`,
      principal,
      tool,
      since,
      '',
      '',
    )
    .one();
}

/** Counts a call that a machine or the owner is asked about. */
export function countAsked(sql: Sql, call: GateCall, isWaiting: boolean, now: number): void {
  sql.exec('DELETE FROM asked WHERE at <= ?', now - MINUTE);
  sql.exec(
    'INSERT INTO asked VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET waits_as = excluded.waits_as',
    call.callId,
    call.principal,
    call.tool,
    now,
    isWaiting ? call.digest : null,
  );
}

/** Removes the count of `countAsked` once the call is let in, because then its row in the ledger counts. */
export function uncountAsked(sql: Sql, { callId, principal, tool, digest }: GateCall): void {
  const one = 'DELETE FROM asked WHERE principal = ? AND tool = ? AND (call_id = ? OR waits_as = ?)';
  sql.exec(one, principal, tool, callId, digest);
}
