import type { Sql } from '../storage/sql.ts';

/** A line of the memory that search found. */
export interface MemoryHit {
  readonly file: string;
  readonly line: number;
  readonly body: string;
}

/** The most matches to rank, the newest ones. Ranking all lines with a common word takes too long. */
const RANKED_MATCHES = 1_000;

type Row = { file: string; line: number; body: string };

const COLUMNS = 'SELECT log.file, log.line, log.body FROM log_text JOIN log ON log.seq = log_text.rowid';

/** Finds lines with all of the words, then lines with any of them, the best first. */
export function searchLog(
  sql: Sql,
  { all, some }: { readonly all: string; readonly some: string },
  limit: number,
): MemoryHit[] {
  const hits = new Map<string, MemoryHit>();
  for (const query of new Set([all, some])) {
    for (const hit of found(sql, query, limit)) hits.set(`${hit.file}:${hit.line}`, { ...hit });
    if (hits.size >= limit) break;
  }
  return [...hits.values()].slice(0, limit);
}

/** Finds a line by its place. */
export function lineOf(sql: Sql, file: string, line: number): { body: string; at: number } | undefined {
  return sql
    .exec<{ body: string; at: number }>('SELECT body, at FROM log WHERE file = ? AND line = ?', file, line)
    .toArray()[0];
}

function found(sql: Sql, query: string, limit: number): Row[] {
  const [place] = sql
    .exec<{ seq: number }>(
      'SELECT rowid AS seq FROM log_text WHERE log_text MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?',
      query,
      RANKED_MATCHES,
    )
    .toArray();
  // FTS5 starts at a number only if it comes as an integer, and workerd binds all numbers as reals: hence the cast.
  return sql
    .exec<Row>(
      `${COLUMNS} WHERE log_text MATCH ? AND log_text.rowid > CAST(? AS INTEGER)
       ORDER BY bm25(log_text), log_text.rowid DESC LIMIT ?`,
      query,
      place?.seq ?? 0,
      limit,
    )
    .toArray();
}
