import type { Sql } from '../storage/sql.ts';
import { firstSince } from './ledger-place.ts';

const DAY_MS = 86_400_000;

/** What Cloudflare bills of a call. */
interface Bill {
  readonly requests: number;
  /** Requests to objects. */
  readonly objects: number;
  readonly rows_read: number;
  readonly rows_written: number;
}

/**
 * The bill of one call of each kind, as `npm run bench -- cost` counts it (docs/operations.md). A change includes the rows
 * that are dropped a day later.
 */
export const BILLS = {
  read: { requests: 1, objects: 3, rows_read: 6, rows_written: 1 },
  // A search reads more the more files have its words: this is for a word that 1,000 files have, so it is rather too much.
  search: { requests: 1, objects: 5, rows_read: 9_000, rows_written: 1 },
  readOnMachine: { requests: 1, objects: 5, rows_read: 14, rows_written: 2 },
  change: { requests: 1, objects: 5, rows_read: 39, rows_written: 14 },
  changeAfterYes: { requests: 3, objects: 14, rows_read: 106, rows_written: 27 },
} satisfies Record<string, Bill>;

/** The calls of one day, and roughly what they cost. */
export interface DayUse extends Bill {
  /** The date of the day in UTC, as plans count days. */
  readonly day: string;
  readonly calls: number;
}

type Kind = { effect: number; on_machine: number; approved: number; searches: number; calls: number };

/** Sums up the calls of the day before today. Pages, streams and lists of tools are in no ledger, so they are not in it. */
export function yesterdaysUse(sql: Sql, now: number): DayUse {
  const until = Math.floor(now / DAY_MS) * DAY_MS;
  const kinds = sql.exec<Kind>(
    `SELECT effect, machine IS NOT NULL AS on_machine, decision = 'approved' AS approved, tool = 'search' AS searches,
       count(*) AS calls
     FROM call WHERE seq >= ? AND seq < ? GROUP BY 1, 2, 3, 4`,
    firstSince(sql, until - DAY_MS),
    firstSince(sql, until),
  );
  const use = { calls: 0, requests: 0, objects: 0, rows_read: 0, rows_written: 0 };
  for (const { calls, ...kind } of kinds) {
    const bill = billOf(kind);
    use.calls += calls;
    for (const what of ['requests', 'objects', 'rows_read', 'rows_written'] as const)
      use[what] += calls * bill[what];
  }
  return { day: new Date(until - DAY_MS).toISOString().slice(0, 10), ...use };
}

function billOf({ effect, on_machine, approved, searches }: Omit<Kind, 'calls'>): Bill {
  if (effect !== 0) return approved === 0 ? BILLS.change : BILLS.changeAfterYes;
  if (on_machine !== 0) return BILLS.readOnMachine;
  return searches === 0 ? BILLS.read : BILLS.search;
}
