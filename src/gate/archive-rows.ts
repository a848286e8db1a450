import { type ArchivePiece, FIRST_PREV, nextPlace, sha256Hex } from '../core/ledger-archive.ts';
import type { Database, Sql, SqlValue } from '../storage/sql.ts';
import { LEDGER_ROWS, type LedgerEntry } from './ledger.ts';

const DAY = 24 * 60 * 60_000;

/**
 * The most to put into one piece. To read or remove that much delays calls by some hundredths of a second.
 */
export const MAX_PIECE = { calls: 2_000, chars: 2_000_000 };

/** Calls that may move out together. */
export interface Chunk {
  readonly first: number;
  readonly last: number;
  readonly calls: number;
  readonly since: number;
  readonly until: number;
  /** One call a line, the lowest number first. */
  readonly body: string;
}

/**
 * Picks restored calls first, because they are the oldest, then calls that no limit and no repeat needs any
 * more.
 */
export function nextChunk(sql: Sql, now: number, most = MAX_PIECE): Chunk | undefined {
  return restoredChunk(sql, most) ?? liveChunk(sql, now, most);
}

function restoredChunk(sql: Sql, most: typeof MAX_PIECE): Chunk | undefined {
  const rows = sql.exec<Row>('SELECT * FROM restored_call ORDER BY seq DESC LIMIT ?', most.calls);
  const taken = upTo(most.chars, rows);
  const last = nextPlace(false, lastPiece(sql, false));
  return chunkOf(taken.toReversed(), (lowest) => ({ first: lowest, last }));
}

function liveChunk(sql: Sql, now: number, most: typeof MAX_PIECE): Chunk | undefined {
  const first = nextPlace(true, lastPiece(sql, true));
  const rows = sql.exec<Row>(
    `${LEDGER_ROWS} WHERE call.seq >= ? AND call.seq < (SELECT max(seq) FROM call) ORDER BY call.seq LIMIT ?`,
    first,
    most.calls,
  );
  const taken = upTo(most.chars, rows, (call) => !isNeeded(call, now));
  return chunkOf(taken, (_, highest) => ({ first, last: highest }));
}

/**
 * Tells if a limit or a repeat still needs a call. Limits look back a minute, and repeats get an answer for a
 * day. If a call is further in the future, the clock was wrong. Such a call must not keep all later ones here
 * for good.
 */
function isNeeded({ at }: LedgerEntry, now: number): boolean {
  return at > now - DAY && at <= now + DAY;
}

function upTo(chars: number, rows: Iterable<Row>, mayGo: (row: Row) => boolean = () => true): Row[] {
  const taken: Row[] = [];
  let length = 0;
  for (const row of rows) {
    if (!mayGo(row)) break;
    length += row.args.length + row.because.length;
    if (taken.length > 0 && length > chars) break;
    taken.push(row);
  }
  return taken;
}

function chunkOf(
  rows: readonly Row[],
  place: (lowest: number, highest: number) => { first: number; last: number },
): Chunk | undefined {
  const [lowest, highest] = [rows[0], rows.at(-1)];
  if (!lowest || !highest) return undefined;
  let [since, until] = [lowest.at, lowest.at];
  for (const { at } of rows) {
    since = Math.min(since, at);
    until = Math.max(until, at);
  }
  return { ...place(lowest.seq, highest.seq), calls: rows.length, since, until, body: bodyOf(rows) };
}

function bodyOf(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Gives the last piece on one side of zero, if there is one. */
function lastPiece(sql: Sql, isLive: boolean): { first: number; last: number } | undefined {
  const which = isLive ? 'last > 0 ORDER BY last DESC' : 'last < 0 ORDER BY last';
  return sql
    .exec<{ first: number; last: number }>(`SELECT first, last FROM ledger_archive WHERE ${which} LIMIT 1`)
    .toArray()[0];
}

/** Gives the number of the next piece, and the hash that links it to the one before. */
export function nextLink(sql: Sql): { piece: number; prev: string } {
  const [last] = sql
    .exec<{ piece: number; hash: string }>(
      'SELECT piece, hash FROM ledger_archive ORDER BY piece DESC LIMIT 1',
    )
    .toArray();
  return { piece: (last?.piece ?? 0) + 1, prev: last?.hash ?? FIRST_PREV };
}

/**
 * Records that a piece is in the archive and removes its calls, both or neither. Refuses if anything changed
 * since the piece was made: a call may have ended since, or another process may have made the same piece.
 */
export function moveOut(storage: Database, piece: ArchivePiece): boolean {
  const { sql } = storage;
  return storage.transactionSync(() => {
    const link = nextLink(sql);
    if (link.piece !== piece.piece || link.prev !== piece.prev) return false;
    const { first, last } = piece;
    const isLive = first > 0;
    const rows = isLive
      ? sql.exec<Row>(`${LEDGER_ROWS} WHERE call.seq BETWEEN ? AND ? ORDER BY call.seq`, first, last)
      : sql.exec<Row>('SELECT * FROM restored_call WHERE seq BETWEEN ? AND ? ORDER BY seq', first, last);
    if (sha256Hex(bodyOf(rows.toArray())) !== piece.body) return false;
    const values = PIECE_COLUMNS.map((name) => piece[name]);
    sql.exec(`INSERT INTO ledger_archive (${PIECE_COLUMNS}) VALUES (${values.map(() => '?')})`, ...values);
    for (const table of isLive ? ['call_yes', 'call_files', 'call_end', 'call'] : ['restored_call'])
      sql.exec(`DELETE FROM ${table} WHERE seq BETWEEN ? AND ?`, first, last);
    return true;
  });
}

const PIECE_COLUMNS = [
  ...(['piece', 'first', 'last', 'calls', 'since', 'until', 'body', 'prev', 'hash', 'signature'] as const),
];

type PieceRow = ArchivePiece & Record<string, SqlValue>;

/** Lists the pieces after a number, in their order. */
export function piecesAfter(sql: Sql, after: number, limit: number): ArchivePiece[] {
  const query = 'SELECT * FROM ledger_archive WHERE piece > ? ORDER BY piece LIMIT ?';
  return sql.exec<PieceRow>(query, after, limit).toArray();
}

export function pieceNumbered(sql: Sql, piece: number): ArchivePiece | undefined {
  return sql.exec<PieceRow>('SELECT * FROM ledger_archive WHERE piece = ?', piece).toArray()[0];
}

/** Tells if a piece of the archive covers this number. */
export function isArchived(sql: Sql, seq: number): boolean {
  return sql.exec('SELECT 1 FROM ledger_archive WHERE ? BETWEEN first AND last', seq).toArray().length > 0;
}

/** Finds the piece with the highest numbers below one, among those with calls of that time. */
export function pieceBelow(
  sql: Sql,
  below: number,
  { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER },
): ArchivePiece | undefined {
  return sql
    .exec<PieceRow>(
      'SELECT * FROM ledger_archive WHERE first < ? AND until >= ? AND since < ? ORDER BY last DESC LIMIT 1',
      below,
      since,
      until,
    )
    .toArray()[0];
}

type Row = LedgerEntry & Record<string, SqlValue>;
