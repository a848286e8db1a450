import type { Sql } from '../storage/sql.ts';

/** Gives the lowest number that is still in the database, or the next free one. */
export function lowestSeq(sql: Sql): number {
  const [first] = sql.exec<{ seq: number }>('SELECT seq FROM call ORDER BY seq LIMIT 1').toArray();
  return first?.seq ?? 1;
}

/** Gives the number after the last call's. */
export function nextSeq(sql: Sql): number {
  const [last] = sql.exec<{ seq: number }>('SELECT seq FROM call ORDER BY seq DESC LIMIT 1').toArray();
  return (last?.seq ?? 0) + 1;
}

/**
 * Gives the number of the first call from a time on, or the next free one. Searches by halves, because
 * numbers follow the clock. Archived calls count as earlier.
 */
export function firstSince(sql: Sql, since: number): number {
  let low = lowestSeq(sql);
  let high = nextSeq(sql);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [call] = sql.exec<{ at: number }>('SELECT at FROM call WHERE seq = ?', middle).toArray();
    if (call && call.at < since) low = middle + 1;
    else high = middle;
  }
  return low;
}
