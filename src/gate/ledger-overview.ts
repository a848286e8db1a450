import type { Sql, SqlValue } from '../storage/sql.ts';
import { firstSince } from './ledger-place.ts';

/** What happened in one slot of time. Times are of calls that ran, in milliseconds. */
export interface Slot {
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
  /** All of them together. */
  readonly whole: Slot;
  /** The most used tools. */
  readonly tools: { readonly tool: string; readonly calls: number }[];
  /** Set if there were more calls than are counted here: only the newest are. */
  readonly cut: boolean;
}

/** Counted in a few hundredths of a second; a page need not know more. */
const MAX_COUNTED = 10_000;

/** The calls since a time, in slots of equal length. */
export function readOverview(sql: Sql, since: number, slotMs: number): Overview {
  const [last] = sql.exec<{ seq: number }>('SELECT seq FROM call ORDER BY seq DESC LIMIT 1').toArray();
  const first = firstSince(sql, since);
  const from = Math.max(first, (last?.seq ?? 0) - MAX_COUNTED + 1);
  const rows = sql.exec<Slot & Record<string, SqlValue>>(SLOTS, since, slotMs, from, since).toArray();
  const tools = sql
    .exec<{ tool: string; calls: number }>(
      'SELECT tool, count(*) AS calls FROM call WHERE seq >= ? AND at >= ? GROUP BY tool ORDER BY calls DESC, tool LIMIT 5',
      from,
      since,
    )
    .toArray();
  return {
    slots: rows.filter(({ slot }) => slot >= 0),
    whole: rows.find(({ slot }) => slot < 0) ?? { ...NOTHING },
    tools,
    cut: from > first,
  };
}

const NOTHING: Slot = { slot: -1, calls: 0, failed: 0, asked: 0, p50: null, p95: null };

/** Every call stands twice: in its slot, and in slot -1 for the whole. Calls that did not run have no time. */
const SLOTS = `
  WITH past AS MATERIALIZED (
    SELECT CAST((call.at - ?) / ? AS INTEGER) AS slot, outcome,
      CASE WHEN outcome IN ('ok', 'failed') AND decision <> 'refused' THEN call_end.at - call.at END AS ms
    FROM call LEFT JOIN call_end USING (seq) WHERE call.seq >= ? AND call.at >= ?
  ), twice AS (SELECT * FROM past UNION ALL SELECT -1, outcome, ms FROM past),
  ranked AS (
    SELECT slot, outcome, ms, count(ms) OVER (PARTITION BY slot) AS ran,
      row_number() OVER (PARTITION BY slot ORDER BY ms IS NULL, ms) AS place FROM twice
  )
  SELECT slot, count(*) AS calls, count(*) FILTER (WHERE outcome = 'failed') AS failed,
    count(*) FILTER (WHERE outcome = 'asked') AS asked,
    max(ms) FILTER (WHERE place = (ran + 1) / 2) AS p50,
    max(ms) FILTER (WHERE place = (ran * 95 + 99) / 100) AS p95
  FROM ranked GROUP BY slot ORDER BY slot`;

/** Who called lately and where: what is worth suggesting to somebody who looks for a call. */
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
