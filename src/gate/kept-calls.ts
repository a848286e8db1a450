import type { Sql, SqlValue } from '../storage/sql.ts';
import { firstSince, nextSeq } from './ledger-place.ts';

/** The facts about one call that pages about many calls need. */
export interface CallFacts {
  readonly seq: number;
  readonly at: number;
  readonly tool: string;
  readonly client: string;
  readonly machine: string | null;
  readonly outcome: string | null;
  /** 1 if it failed, else 0. What the owner or a rule denied, and what its caller gave up, did not fail. */
  readonly failed: number;
  /** Null for calls that did not run. */
  readonly ms: number | null;
}

/** Counting this many takes a few hundredths of a second, and a page need not know more. */
export const MAX_COUNTED = 10_000;
/** The most calls without an end to look at again. Some never end. */
const MAX_OPEN = 200;

const COUNTED = `
  SELECT seq, call.at, tool, client, machine, iif(ok_at IS NULL, outcome, 'ok') AS outcome,
    coalesce(outcome = 'failed' AND coalesce(code, '') NOT LIKE 'approval\\_%' ESCAPE '\\'
      AND coalesce(code, '') NOT IN ('denied_by_rule', 'cancelled'), 0) AS failed,
    CASE WHEN (ok_at IS NOT NULL OR outcome IN ('ok', 'failed')) AND decision NOT IN ('refused', 'replayed')
      THEN coalesce(call_end.at, ok_at) - call.at END AS ms
  FROM call LEFT JOIN call_end USING (seq)`;

/**
 * Keeps the newest calls in memory, so that a page that is drawn again and again reads only what is new: every row
 * that a query visits costs money.
 */
export class KeptCalls {
  #calls: CallFacts[] = [];
  /** All calls from this number on are kept. */
  #from = Number.MAX_SAFE_INTEGER;

  /** Gives the calls with this number and later ones, oldest first. */
  from(sql: Sql, first: number): readonly CallFacts[] {
    const next = () => (this.#calls.at(-1)?.seq ?? this.#from - 1) + 1;
    if (first < this.#from || first > next()) {
      this.#from = first;
      this.#calls = [];
    }
    this.#endOpen(sql);
    this.#calls.push(...rows(sql, `${COUNTED} WHERE seq >= ? ORDER BY seq`, next()));
    const tooMany = this.#calls.length - MAX_COUNTED;
    if (tooMany > 0) {
      this.#calls.splice(0, tooMany);
      this.#from = this.#calls[0]?.seq ?? this.#from;
    }
    return this.#calls.filter(({ seq }) => seq >= first);
  }

  /** Gives the calls since a time, and whether there were more than can be counted. */
  since(sql: Sql, since: number): { readonly calls: readonly CallFacts[]; readonly cut: boolean } {
    const first = firstSince(sql, since);
    const from = Math.max(first, nextSeq(sql) - MAX_COUNTED);
    return { calls: this.from(sql, from).filter(({ at }) => at >= since), cut: from > first };
  }

  #endOpen(sql: Sql): void {
    const open: number[] = [];
    for (let i = this.#calls.length - 1; i >= 0 && open.length < MAX_OPEN; i--)
      if (this.#calls[i]?.outcome === null) open.push(i);
    for (const i of open) {
      const [call] = rows(sql, `${COUNTED} WHERE seq = ?`, this.#calls[i]?.seq ?? 0);
      if (call) this.#calls[i] = call;
    }
  }
}

function rows(sql: Sql, query: string, seq: number): CallFacts[] {
  return sql
    .exec<CallFacts & Record<string, SqlValue>>(query, seq)
    .toArray()
    .map((row) => ({ ...row }));
}
