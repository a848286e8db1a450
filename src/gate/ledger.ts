import type { Sql, SqlValue } from '../storage/sql.ts';
import { firstSince } from './ledger-place.ts';

/** One call, as the owner reads of it. */
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
  /** Of a call that the owner approved, while it is in the database: how long they took, and the diff they saw. */
  readonly waitedMs?: number;
  readonly diff?: string | null;
}

export interface LedgerFilter {
  readonly tool?: string | undefined;
  readonly principal?: string | undefined;
  readonly client?: string | undefined;
  readonly machine?: string | undefined;
  readonly outcome?: string | undefined;
  /** Only calls before this number: the `next` of the page before. */
  readonly before?: number | undefined;
  readonly since?: number | undefined;
  /** Only calls from before this time. */
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

/** Calls, newest first, and the number to go on before; there may be a next page although this one is not full. */
export interface LedgerPage {
  readonly entries: LedgerEntry[];
  readonly next: number | null;
  /** Calls that are in the archive and cannot be read there, in words. */
  readonly missing?: readonly string[];
}

export const MAX_PAGE = 200;

/** A call that was turned away is written down late, under the time at which it came. */
const STRAY_MS = 5 * 60_000;

/** A page of the ledger, newest first. Found by number, so a page costs the same however long the ledger is. */
export function readLedger(
  sql: Sql,
  { tool, principal, client, machine, outcome, before, since, until, limit = 50 }: LedgerFilter,
): LedgerPage {
  const size = Math.min(limit, MAX_PAGE);
  const conditions: [string, SqlValue][] = [];
  if (tool !== undefined) conditions.push(['call.tool = ?', tool]);
  if (principal !== undefined) conditions.push(['call.principal = ?', principal]);
  if (client !== undefined) conditions.push(['call.client = ?', client]);
  if (machine !== undefined) conditions.push(['call.machine = ?', machine]);
  if (outcome === 'running') conditions.push(['call_end.outcome IS NULL AND ?', 1]);
  else if (outcome === 'ok') conditions.push(["call_end.outcome = 'ok' AND ?", 1]);
  // Said twice, because an index of what did not go well is used only for what surely did not.
  else if (outcome !== undefined)
    conditions.push(["call_end.outcome <> 'ok' AND call_end.outcome = ?", outcome]);
  if (before !== undefined) conditions.push(['call.seq < ?', before]);
  if (since !== undefined)
    conditions.push(['call.seq >= ?', firstSince(sql, since)], ['call.at >= ?', since]);
  if (until !== undefined)
    conditions.push(['call.seq < ?', firstSince(sql, until + STRAY_MS)], ['call.at < ?', until]);
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([text]) => text).join(' AND ')}` : '';
  const entries = sql
    .exec<Row>(
      `${WITH_YES} ${where} ORDER BY call.seq DESC LIMIT ?`,
      ...conditions.map(([, value]) => value),
      size + 1,
    )
    .toArray()
    .map(withoutNoYes);
  const more = entries.length > size;
  const shown = more ? entries.slice(0, size) : entries;
  return { entries: shown, next: more ? (shown.at(-1)?.seq ?? null) : null };
}

/** One call and, for a day after one that changed something, what came of it; without secrets. */
export interface WholeCall extends LedgerEntry {
  readonly result: string | null;
}

export function callBySeq(sql: Sql, seq: number): WholeCall | null {
  const query = `${WITH_YES.replace('code, bytes,', 'code, bytes, result,')} WHERE call.seq = ?`;
  const found = sql.exec<Row & WholeCall>(query, seq).toArray()[0];
  return found ? withoutNoYes(found) : null;
}

/** The last calls of a tool, whatever became of them, for trying a new rule on. */
export function pastCalls(sql: Sql, tool: string, limit = 1_000): LedgerEntry[] {
  return sql.exec<Row>(`${LEDGER_ROWS} WHERE tool = ? ORDER BY call.seq DESC LIMIT ?`, tool, limit).toArray();
}

type Row = LedgerEntry & Record<string, SqlValue>;

/** A call that nobody had to approve has no words about that. */
function withoutNoYes<Entry extends LedgerEntry>(entry: Entry): Entry {
  if (entry.waitedMs !== null) return entry;
  const { waitedMs: _, diff: __, ...others } = entry;
  return others as Entry;
}

/** The columns of a `LedgerEntry`, in an order that stays as it is: hashes of the archive are over it. */
export const LEDGER_ROWS = `SELECT call.seq, call.id, call.at, principal, client, via, tool, machine, digest, args, decision,
  because, outcome, code, bytes, call_end.at - call.at AS durationMs FROM call LEFT JOIN call_end USING (seq)`;

/** The same with what is kept of the owner's yes, which the archive has no place for. */
const WITH_YES = `${LEDGER_ROWS.replace(' FROM call ', ', waited AS waitedMs, diff FROM call ')} LEFT JOIN call_yes USING (seq)`;
