import type { Sql, SqlValue } from '../storage/sql.ts';
import { firstSince } from './ledger-place.ts';

/** The calls of one slot of time. Times are of calls that ran, in milliseconds. */
interface Slot {
  readonly slot: number;
  readonly calls: number;
  readonly failed: number;
  readonly asked: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface Overview {
  /** The slots in which something happened, oldest first. */
  readonly slots: Slot[];
  /** The sum of all slots. */
  readonly whole: Slot;
  /** The most used tools. */
  readonly tools: { readonly tool: string; readonly calls: number }[];
  /** True if there were too many calls, so that only the newest are counted. */
  readonly cut: boolean;
}

/** Counting this many takes a few hundredths of a second, and a page need not know more. */
const MAX_COUNTED = 10_000;

/**
 * Reads the calls since a time and sums them up in slots of equal length. Reads them only once, because every
 * row that a query visits costs money.
 */
export function readOverview(sql: Sql, since: number, slotMs: number): Overview {
  const [last] = sql.exec<{ seq: number }>('SELECT seq FROM call ORDER BY seq DESC LIMIT 1').toArray();
  const first = firstSince(sql, since);
  const from = Math.max(first, (last?.seq ?? 0) - MAX_COUNTED + 1);
  const slots = new Map<number, Tally>();
  const whole = newTally();
  const tools = new Map<string, number>();
  for (const call of sql.exec<Counted & Record<string, SqlValue>>(COUNTED, from, since)) {
    const slot = Math.floor((call.at - since) / slotMs);
    const tally = slots.get(slot) ?? newTally();
    slots.set(slot, tally);
    for (const each of [tally, whole]) add(each, call);
    tools.set(call.tool, (tools.get(call.tool) ?? 0) + 1);
  }
  return {
    slots: [...slots].sort(([a], [b]) => a - b).map(([slot, tally]) => slotOf(slot, tally)),
    whole: slotOf(-1, whole),
    tools: mostUsed(tools),
    cut: from > first,
  };
}

interface Counted {
  readonly at: number;
  readonly tool: string;
  readonly outcome: string | null;
  /** 1 if it failed, else 0. What the owner or a rule denied, and what its caller gave up, did not fail. */
  readonly failed: number;
  /** Null for calls that did not run. */
  readonly ms: number | null;
}

const COUNTED = `
  SELECT call.at, tool, outcome,
    coalesce(outcome = 'failed' AND coalesce(code, '') NOT LIKE 'approval\\_%' ESCAPE '\\'
      AND coalesce(code, '') NOT IN ('denied_by_rule', 'cancelled'), 0) AS failed,
    CASE WHEN outcome IN ('ok', 'failed') AND decision <> 'refused' THEN call_end.at - call.at END AS ms
  FROM call LEFT JOIN call_end USING (seq) WHERE call.seq >= ? AND call.at >= ?`;

interface Tally {
  calls: number;
  failed: number;
  asked: number;
  readonly times: number[];
}

function newTally(): Tally {
  return { calls: 0, failed: 0, asked: 0, times: [] };
}

function add(tally: Tally, { outcome, failed, ms }: Counted): void {
  tally.calls += 1;
  tally.failed += failed;
  if (outcome === 'asked') tally.asked += 1;
  if (ms !== null) tally.times.push(ms);
}

function slotOf(slot: number, { calls, failed, asked, times }: Tally): Slot {
  times.sort((a, b) => a - b);
  const share = (hundredths: number) => times[Math.ceil((times.length * hundredths) / 100) - 1] ?? null;
  return { slot, calls, failed, asked, p50: share(50), p95: share(95) };
}

function mostUsed(tools: ReadonlyMap<string, number>): Overview['tools'] {
  return [...tools]
    .map(([tool, calls]) => ({ tool, calls }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
    .slice(0, 5);
}

/** Lists who called lately and where, as suggestions for somebody who looks for a call. */
export function lately(sql: Sql): { clients: string[]; machines: string[] } {
  const names = (column: 'client' | 'machine') =>
    sql
      .exec<{ name: string }>(
        `SELECT DISTINCT ${column} AS name FROM (SELECT ${column} FROM call ORDER BY seq DESC LIMIT 2000)
         WHERE name IS NOT NULL ORDER BY name LIMIT 50`,
      )
      .toArray()
      .map(({ name }) => name);
  return { clients: names('client'), machines: names('machine') };
}
