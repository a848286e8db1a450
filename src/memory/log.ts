import { type ChainEntry, type Checkpoint, GENESIS, hashEntry } from '../core/chain.ts';

/** An entry to be written. */
export interface NewEntry {
  readonly file: string;
  readonly body: string;
  readonly idem: string;
}

export interface Appended {
  readonly seq: number;
  readonly line: number;
  readonly at: number;
  /** True if it was there before. */
  readonly replayed: boolean;
}

type Row = ChainEntry & Record<string, SqlStorageValue>;

/** Finds the appended entry with an idem. */
export function find(sql: SqlStorage, idem: string): Appended | undefined {
  const known = sql.exec<Row>('SELECT seq, line, at FROM log WHERE idem = ?', idem).toArray()[0];
  return known && { seq: known.seq, line: known.line, at: known.at, replayed: true };
}

/**
 * Appends an entry, or finds the one with its idem. Select, hash and insert happen in the caller's one
 * transaction.
 */
export function append(sql: SqlStorage, { file, body, idem }: NewEntry, now: number): Appended {
  const known = find(sql, idem);
  if (known) return known;
  const last = headOf(sql);
  const line = lastLine(sql, file) + 1;
  const entry = { seq: last.seq + 1, file, line, idem, body, at: now, prev: last.hash };
  sql.exec(
    'INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    entry.seq,
    file,
    line,
    idem,
    body,
    now,
    entry.prev,
    hashEntry(entry),
  );
  sql.exec('INSERT INTO log_text (rowid, body) VALUES (?, ?)', entry.seq, body);
  return { seq: entry.seq, line, at: now, replayed: false };
}

/** Gives the last entry's number and hash. */
export function headOf(sql: SqlStorage): { seq: number; hash: string } {
  const row = sql
    .exec<{ seq: number; hash: string }>('SELECT seq, hash FROM log ORDER BY seq DESC LIMIT 1')
    .toArray()[0];
  return row ?? { seq: 0, hash: GENESIS };
}

/** Gives the hash that the log ended with when it had so many entries. */
export function hashAt(sql: SqlStorage, seq: number): string | undefined {
  if (seq === 0) return GENESIS;
  return sql.exec<{ hash: string }>('SELECT hash FROM log WHERE seq = ?', seq).toArray()[0]?.hash;
}

export function lastLine(sql: SqlStorage, file: string): number {
  return (
    sql
      .exec<{ line: number }>('SELECT line FROM log WHERE file = ? ORDER BY line DESC LIMIT 1', file)
      .toArray()[0]?.line ?? 0
  );
}

/** Lists the last lines of a file, oldest first. */
export function tail(sql: SqlStorage, file: string, count: number): ChainEntry[] {
  return sql
    .exec<Row>('SELECT * FROM log WHERE file = ? ORDER BY line DESC LIMIT ?', file, count)
    .toArray()
    .reverse();
}

/** Lists entries of the whole log after a number, as many as fit. */
export function entriesAfter(sql: SqlStorage, seq: number, maxChars: number): ChainEntry[] {
  const entries: ChainEntry[] = [];
  let chars = 0;
  for (const row of sql.exec<Row>('SELECT * FROM log WHERE seq > ? ORDER BY seq', seq)) {
    chars += row.body.length + 300;
    if (entries.length > 0 && chars > maxChars) break;
    entries.push({ ...row });
  }
  return entries;
}

export function checkpoints(sql: SqlStorage): Checkpoint[] {
  return sql
    .exec<Checkpoint & Record<string, SqlStorageValue>>('SELECT * FROM checkpoint ORDER BY seq')
    .toArray();
}

export function lastCheckpoint(sql: SqlStorage): { seq: number; at: number } {
  const row = sql
    .exec<{ seq: number; at: number }>('SELECT seq, at FROM checkpoint ORDER BY seq DESC LIMIT 1')
    .toArray()[0];
  return row ?? { seq: 0, at: 0 };
}

export function writeCheckpoint(sql: SqlStorage, { seq, head, at, signature }: Checkpoint): void {
  sql.exec('INSERT INTO checkpoint VALUES (?, ?, ?, ?)', seq, head, at, signature);
}
