/** A line of the memory that search found. */
export interface MemoryHit {
  readonly file: string;
  readonly line: number;
  readonly body: string;
}

/** Only so many of the newest lines are ranked: ranking a long log takes too long. */
const RANKED_LINES = 10_000;

type Row = { file: string; line: number; body: string };

const COLUMNS = 'SELECT log.file, log.line, log.body FROM log_text JOIN log ON log.seq = log_text.rowid';

/**
 * Finds lines with all of the words, then lines with any of them. Among the newest lines the best come first,
 * among older ones the newest.
 */
export function searchLog(
  sql: SqlStorage,
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
export function lineOf(
  sql: SqlStorage,
  file: string,
  line: number,
): { body: string; at: number } | undefined {
  return sql
    .exec<{ body: string; at: number }>('SELECT body, at FROM log WHERE file = ? AND line = ?', file, line)
    .toArray()[0];
}

function found(sql: SqlStorage, query: string, limit: number): Row[] {
  const { last } = sql.exec<{ last: number | null }>('SELECT max(seq) AS last FROM log').one();
  const from = (last ?? 0) - RANKED_LINES;
  const newest = sql
    .exec<Row>(
      `${COLUMNS} WHERE log_text MATCH ? AND log_text.rowid > ? ORDER BY bm25(log_text), log_text.rowid DESC LIMIT ?`,
      query,
      from,
      limit,
    )
    .toArray();
  if (newest.length >= limit || from <= 0) return newest;
  const older = sql
    .exec<Row>(
      `${COLUMNS} WHERE log_text MATCH ? AND log_text.rowid <= ? ORDER BY log_text.rowid DESC LIMIT ?`,
      query,
      from,
      limit - newest.length,
    )
    .toArray();
  return [...newest, ...older];
}
