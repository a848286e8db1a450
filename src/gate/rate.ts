import { lately } from '../core/clock.ts';
import type { Sql } from '../storage/sql.ts';
import type { GateCall } from './messages.ts';
import type { NotedReads } from './noted-reads.ts';
import type { RecentCalls } from './recent-calls.ts';

const MINUTE = 60_000;

const ROWS_AT_ONCE = 200;

/**
 * Gives the milliseconds until one more call fits into the last minute. 0 means now. The database is the
 * sliding log. `recent` avoids reading it while the last minute is far from full. Reads that are only noted get their
 * rows before it is read.
 */
export function rateWait(
  sql: Sql,
  call: GateCall,
  perMinute: number,
  now: number,
  recent?: RecentCalls,
  noted?: NotedReads,
): number {
  if (perMinute < 1) return MINUTE;
  const { principal, tool } = call;
  const most = recent?.atMost(principal, tool, now);
  if (most !== undefined && most < perMinute) return 0;
  const [since, upTo] = lately(MINUTE, now);
  noted?.write();
  const times = lastMinute(sql, call, since);
  if (recent && most === undefined) {
    // Count the call that asks too. If that counts it twice, the database is only read sooner.
    const all = [...times, ...askedTimes(sql, { ...call, callId: '', digest: '' }, since)];
    // A clock that went back leaves times in the future. They belong to later minutes.
    if (all.every((at) => at <= now)) recent.learn(principal, tool, now, all.length);
    if (all.length < perMinute) return 0;
  }
  // Calls of the future do not count: the clock was set back since, and they would count for days.
  const counted = [...times, ...askedTimes(sql, call, since)]
    .filter((at) => at <= upTo)
    .sort((a, b) => b - a);
  const blocking = counted[perMinute - 1];
  return blocking === undefined ? 0 : blocking + MINUTE - now;
}

/**
 * Gives the times of the calls that were let in since a time, also those in the future. Reads the ledger from its end,
 * which needs no index: times only rise there, except where the clock went back (see `writeCall`).
 */
function lastMinute(sql: Sql, { principal, tool }: GateCall, since: number): number[] {
  const steps = sql
    .exec<{ seq: number }>('SELECT seq FROM clock_step WHERE latest > ? ORDER BY seq DESC', since)
    .toArray();
  const times: number[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = sql
      .exec<{ seq: number; at: number; principal: string; tool: string }>(
        'SELECT seq, at, principal, tool FROM call WHERE counted = 1 AND seq < ? ORDER BY seq DESC LIMIT ?',
        before,
        ROWS_AT_ONCE,
      )
      .toArray();
    const isOlder = rows.findIndex(({ at }) => at <= since);
    for (const row of isOlder < 0 ? rows : rows.slice(0, isOlder))
      if (row.principal === principal && row.tool === tool) times.push(row.at);
    const last = isOlder < 0 ? rows.at(-1) : rows[isOlder];
    const next = isOlder < 0 ? last : steps.find(({ seq }) => last !== undefined && seq <= last.seq);
    if (!next || (isOlder < 0 && rows.length < ROWS_AT_ONCE)) return times;
    before = next.seq;
  }
}

/**
 * The times of calls that somebody was asked about and that were not let in. Leaves out the call that asks, even if it
 * comes back for its own approval.
 */
function askedTimes(sql: Sql, { principal, tool, callId, digest }: GateCall, since: number): number[] {
  return sql
    .exec<{ at: number }>(
      `SELECT at FROM asked WHERE principal = ? AND tool = ? AND at > ? AND call_id <> ? AND waits_as IS NOT ?`,
      principal,
      tool,
      since,
      callId,
      digest,
    )
    .toArray()
    .map(({ at }) => at);
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
