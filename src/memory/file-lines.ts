import type { Sql, SqlValue } from '../storage/sql.ts';

/** The size and the last line of a file. */
interface FileEnd {
  readonly size: number;
  readonly modified: number;
  readonly total: number;
}

/** Some lines of a file. `last` is one less than `first` if there are none. */
interface FileLines extends FileEnd {
  readonly content: string;
  readonly first: number;
  readonly last: number;
}

/** With fewer lines than this since the kept size, adding them up costs less than writing a row. */
const LINES_UNCOUNTED = 100;

/** Gives a file's lines as one text, or only its size if that is over the limit. */
export function readFile(
  sql: Sql,
  file: string,
  maxBytes: number,
): { size: number; modified: number; content: string | null } | undefined {
  const end = endOf(sql, file);
  if (!end) return undefined;
  const { size, modified } = end;
  if (size > maxBytes) return { size, modified, content: null };
  const bodies = sql
    .exec<{ body: string }>('SELECT body FROM log WHERE file = ? ORDER BY line', file)
    .toArray();
  return { size, modified, content: bodies.map(({ body }) => `${body}\n`).join('') };
}

/**
 * Gives a range of a file's lines, as many as fit. A negative `from` counts from the end: -1 is the last line. Reads no
 * more than it gives.
 */
export function readLines(
  sql: Sql,
  file: string,
  { from, to }: { readonly from: number; readonly to: number },
  maxBytes: number,
): FileLines | undefined {
  const end = endOf(sql, file);
  if (!end) return undefined;
  const first = from < 0 ? Math.max(1, end.total + 1 + from) : from;
  const texts: string[] = [];
  let bytes = 0;
  const rows = sql.exec<{ body: string; size: number } & Record<string, SqlValue>>(
    `SELECT body, octet_length(body) + 1 AS size FROM log WHERE file = ? AND line >= ? AND line <= ? ORDER BY line`,
    file,
    first,
    to,
  );
  for (const { body, size } of rows) {
    bytes += size;
    if (texts.length > 0 && bytes > maxBytes) break;
    texts.push(`${body}\n`);
  }
  return { ...end, content: texts.join(''), first, last: first + texts.length - 1 };
}

function endOf(sql: Sql, file: string): FileEnd | undefined {
  const last = sql
    .exec<{ line: number; at: number }>(
      'SELECT line, at FROM log WHERE file = ? ORDER BY line DESC LIMIT 1',
      file,
    )
    .toArray()[0];
  return last && { size: sizeOf(sql, file, last.line), modified: last.at, total: last.line };
}

/** Adds the size of the newest lines to the kept one, and keeps the sum if these were many. */
function sizeOf(sql: Sql, file: string, total: number): number {
  const kept = sql
    .exec<{ line: number; bytes: number }>('SELECT line, bytes FROM file_size WHERE file = ?', file)
    .toArray()[0];
  const { line, bytes } = kept ?? { line: 0, bytes: 0 };
  const { added } = sql
    .exec<{ added: number }>(
      'SELECT coalesce(sum(octet_length(body) + 1), 0) AS added FROM log WHERE file = ? AND line > ?',
      file,
      line,
    )
    .one();
  const size = bytes + added;
  if (total - line > LINES_UNCOUNTED)
    sql.exec('INSERT OR REPLACE INTO file_size VALUES (?, ?, ?)', file, total, size);
  return size;
}
