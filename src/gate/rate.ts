import type { Sql } from '../storage/sql.ts';
import type { GateCall } from './messages.ts';
import type { RecentCalls } from './recent-calls.ts';

const MINUTE = 60_000;

/**
 * When calls of a tool were that count: those that were let in, and others that somebody was asked about. The call
 * that asks is left out, also if it comes back for what it waits for.
 */
const COUNTED = `SELECT at FROM call WHERE counted = 1 AND principal = ?1 AND tool = ?2 AND at > ?3
  UNION ALL SELECT at FROM asked WHERE principal = ?1 AND tool = ?2 AND at > ?3
    AND call_id <> ?4 AND waits_as IS NOT ?5`;

/**
 * Milliseconds until one more call fits into the last minute; 0 is now. The database is the sliding log, and is left
 * alone while `recent` knows the last minute to be far from full.
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
    // What a clock that went back left in the future belongs to minutes still to come.
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

/** With the call that asks: counting it twice only means to look at the database sooner. */
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

/** A call that is let in after all counts by its row in the ledger. */
export function uncountAsked(sql: Sql, { callId, principal, tool, digest }: GateCall): void {
  const one = 'DELETE FROM asked WHERE principal = ? AND tool = ? AND (call_id = ? OR waits_as = ?)';
  sql.exec(one, principal, tool, callId, digest);
}
