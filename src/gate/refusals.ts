import type { Sql, SqlValue } from '../storage/sql.ts';
import type { CallCount } from './messages.ts';
import { MinuteCounts } from './minute-counts.ts';

const HOUR = 3_600_000;
const KEPT_MS = 90 * 24 * HOUR;

/** The refusals of one caller in a minute that get rows of their own. Further ones are only counted. */
export const REFUSED_ROWS_A_MINUTE = 60;

/** Limits the rows that one caller can cause by being refused. */
export class RefusedRows {
  readonly #counts = new MinuteCounts();

  /** Tells if one more refusal of this caller gets a row. */
  take(principal: string, at: number): boolean {
    if (this.#counts.of(principal, at) >= REFUSED_ROWS_A_MINUTE) return false;
    this.#counts.add(principal, at);
    return true;
  }
}

/** A limit that gives no rows, for a full database. */
export const NO_ROWS: Pick<RefusedRows, 'take'> = { take: () => false };

/** Adds to the count of a caller's calls without rows in the hour. */
export function countCalls(sql: Sql, { principal, tool, code, count, at }: CallCount): void {
  const hour = Math.floor(at / HOUR) * HOUR;
  const { rowsWritten } = sql.exec(
    'UPDATE refusal_count SET n = n + ? WHERE hour = ? AND principal = ? AND tool = ? AND code = ?',
    count,
    hour,
    principal,
    tool,
    code,
  );
  if (rowsWritten > 0) return;
  sql.exec('DELETE FROM refusal_count WHERE hour < ?', hour - KEPT_MS);
  sql.exec('INSERT INTO refusal_count VALUES (?, ?, ?, ?, ?)', hour, principal, tool, code, count);
}

/** Calls of one caller and tool with one end that were only counted. */
export interface CountedCalls {
  readonly principal: string;
  readonly tool: string;
  /** Why they were refused, or `ok` for accepted calls of strangers. */
  readonly code: string;
  readonly count: number;
}

/** Lists the calls that were only counted since a time's hour, most first. */
export function countedCalls(sql: Sql, since: number): CountedCalls[] {
  return sql
    .exec<CountedCalls & Record<string, SqlValue>>(
      `SELECT principal, tool, code, sum(n) AS count FROM refusal_count WHERE hour > ?
       GROUP BY principal, tool, code ORDER BY count DESC, tool, code, principal LIMIT 100`,
      since - HOUR,
    )
    .toArray();
}
