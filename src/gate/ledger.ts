import type { Sql, SqlValue } from '../storage/sql.ts';
import { blockBelow } from './ledger-blocks.ts';
import { firstSince, lowestSeq, nextSeq } from './ledger-place.ts';

/** One call, as the owner reads about it. */
export interface LedgerEntry {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly principal: string;
  readonly client: string;
  readonly via: string;
  readonly tool: string;
  readonly machine: string | null;
  readonly digest: string;
  readonly args: string;
  readonly decision: string;
  readonly because: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly bytes: number | null;
  readonly durationMs: number | null;
  /**
   * The time that the owner took to approve the call, and the diff they saw. Only while the call is in the
   * database.
   */
  readonly waitedMs?: number;
  readonly diff?: string | null;
  /** The files that the call says it affected. Only while the call is in the database. */
  readonly files?: readonly string[];
  /** The number of files that it affected. `files` lists the first ones. */
  readonly filesTotal?: number;
}

export interface LedgerFilter {
  readonly tool?: string | undefined;
  readonly principal?: string | undefined;
  readonly client?: string | undefined;
  readonly machine?: string | undefined;
  readonly outcome?: string | undefined;
  /** Only calls before this number, the `next` of the page before. */
  readonly before?: number | undefined;
  readonly since?: number | undefined;
  /** Only calls before this time. */
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * Calls, newest first, and the number before which the next page begins. A page may have a next one without
 * being full.
 */
export interface LedgerPage {
  readonly entries: LedgerEntry[];
  readonly next: number | null;
  /** Tells in words which archived calls cannot be read. */
  readonly missing?: readonly string[];
}

export const MAX_PAGE = 200;

/** A refused call is recorded late, under the time at which it came. */
const STRAY_MS = 5 * 60_000;

/**
 * The most calls to look at for one page. If matches are rare, the page ends early instead of reading a long ledger to
 * its beginning.
 */
const LOOKED_AT = 2_500;

/**
 * Gives a page of the ledger, newest first. Finds it by number, so it costs the same in a ledger of any
 * length.
 */
export function readLedger(sql: Sql, filter: LedgerFilter): LedgerPage {
  const { tool, principal, client, machine, outcome, before, since, until, limit = 50 } = filter;
  const size = Math.min(limit, MAX_PAGE);
  const conditions: [string, SqlValue][] = [];
  if (tool !== undefined) conditions.push(['call.tool = ?', tool]);
  if (principal !== undefined) conditions.push(['call.principal = ?', principal]);
  if (client !== undefined) conditions.push(['call.client = ?', client]);
  if (machine !== undefined) conditions.push(['call.machine = ?', machine]);
  if (outcome === 'running') conditions.push(['call_end.outcome IS NULL AND ok_at IS NULL AND ?', 1]);
  else if (outcome === 'ok') conditions.push(["(call_end.outcome = 'ok' OR ok_at IS NOT NULL) AND ?", 1]);
  // Repeat `<> 'ok'`, because SQLite uses its partial index of failed calls only for a query with that condition.
  else if (outcome !== undefined)
    conditions.push(["call_end.outcome <> 'ok' AND call_end.outcome = ?", outcome]);
  const filters = conditions.length;
  let top = before ?? nextSeq(sql);
  if (since !== undefined) conditions.push(['call.at >= ?', since]);
  if (until !== undefined) {
    top = Math.min(top, firstSince(sql, until + STRAY_MS));
    conditions.push(['call.at < ?', until]);
  }
  const bottom = since === undefined ? lowestSeq(sql) : firstSince(sql, since);
  const where = conditions.map(([text]) => `${text} AND `).join('');
  const query = `${WITH_KEPT} WHERE ${where}call.seq >= ? AND call.seq < ? ORDER BY call.seq DESC LIMIT ?`;
  const entries: LedgerEntry[] = [];
  const take = (from: number, to: number) => {
    const room = size + 1 - entries.length;
    const values = [...conditions.map(([, value]) => value), Math.max(from, bottom), to, room];
    for (const row of sql.exec<KeptRow>(query, ...values)) entries.push(entryOf({ ...row }));
    top = from;
  };
  if (filters === 0) take(bottom, top);
  else if (isFailure(outcome)) take(filters === 1 ? bottom : lastFailure(sql, outcome, top), top);
  else {
    for (let looked = 0; looked < LOOKED_AT && entries.length <= size && top > bottom; ) {
      const block = blockBelow(sql, filter, top);
      looked += block ? block.top - block.from : 0;
      if (block) take(block.from, block.top);
      else top = bottom;
    }
  }
  if (entries.length <= size) return { entries, next: top > bottom ? top : null };
  const shown = entries.slice(0, size);
  return { entries: shown, next: shown.at(-1)?.seq ?? null };
}

function isFailure(outcome: string | undefined): outcome is string {
  return outcome !== undefined && outcome !== 'ok' && outcome !== 'running';
}

/** Gives the number of the last call that is looked at among those that ended so. An index leads to them. */
function lastFailure(sql: Sql, outcome: string, top: number): number {
  const query = `SELECT seq FROM call_end WHERE outcome <> 'ok' AND outcome = ? AND seq < ?
    ORDER BY seq DESC LIMIT 1 OFFSET ?`;
  return sql.exec<{ seq: number }>(query, outcome, top, LOOKED_AT - 1).toArray()[0]?.seq ?? 0;
}

/** One call with its outcome, if it had an effect and is less than a day old. Without secrets. */
export interface WholeEntry extends LedgerEntry {
  readonly result: string | null;
}

export function callBySeq(sql: Sql, seq: number): WholeEntry | null {
  const query = `${WITH_KEPT.replace(' code,', ' code, result,')} WHERE call.seq = ?`;
  const found = sql.exec<KeptRow & { result: string | null }>(query, seq).toArray()[0];
  return found ? { ...entryOf(found), result: found.result } : null;
}

/**
 * Gives the last calls of a tool, whatever their outcome, to try a new rule on. An index leads to calls that were to
 * change something. Of a tool that only reads, the last calls of a page are given.
 */
export function pastCalls(sql: Sql, tool: string, limit = 1_000): LedgerEntry[] {
  const query = `${LEDGER_ROWS} WHERE effect = 1 AND tool = ? ORDER BY call.seq DESC LIMIT ?`;
  const effects = sql.exec<Row>(query, tool, limit).toArray();
  return effects.length > 0 ? effects : readLedger(sql, { tool, limit }).entries;
}

type Row = LedgerEntry & Record<string, SqlValue>;

/** A row with what the ledger keeps beside a call. */
type KeptRow = Omit<LedgerEntry, 'waitedMs' | 'diff' | 'files'> & {
  readonly waitedMs: number | null;
  readonly diff: string | null;
  readonly files: string | null;
} & Record<string, SqlValue>;

/** Leaves out what a call does not have: an approval, files that it affected. */
function entryOf({ waitedMs, diff, files, ...call }: KeptRow): LedgerEntry {
  return {
    ...(call as LedgerEntry),
    ...(waitedMs === null ? {} : { waitedMs, diff }),
    ...(files === null ? {} : JSON.parse(files)),
  };
}

/**
 * The columns of a `LedgerEntry`. Their order must never change, because the archive's hashes depend on it.
 */
export const LEDGER_ROWS = `SELECT call.seq, call.id, call.at, principal, client, via, tool, machine, digest, args, decision,
  because, iif(ok_at IS NULL, outcome, 'ok') AS outcome, code, coalesce(bytes, ok_bytes) AS bytes,
  coalesce(call_end.at, ok_at) - call.at AS durationMs FROM call LEFT JOIN call_end USING (seq)`;

/** The same with what the ledger keeps beside a call: the owner's yes, and files. The archive has no place for that. */
const WITH_KEPT = `${LEDGER_ROWS.replace(' FROM call ', ', waited AS waitedMs, diff, files FROM call ')}
  LEFT JOIN call_yes USING (seq) LEFT JOIN call_files USING (seq)`;
