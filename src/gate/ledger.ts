import type { Sql, SqlValue } from '../storage/sql.ts';
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
}

export interface LedgerFilter {
  readonly tool?: string | undefined;
  readonly principal?: string | undefined;
  readonly outcome?: string | undefined;
  /** Only calls before this number: the `next` of the page before. */
  readonly before?: number | undefined;
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
}

const MAX_PAGE = 200;

/** A page of the ledger, newest first. Found by number, so a page costs the same however long the ledger is. */
export function readLedger(
  sql: Sql,
  { tool, principal, outcome, before, since, limit = 50 }: LedgerFilter,
): { entries: LedgerEntry[]; next: number | null } {
  const size = Math.min(limit, MAX_PAGE);
  const conditions: [string, SqlValue][] = [];
  if (tool !== undefined) conditions.push(['call.tool = ?', tool]);
  if (principal !== undefined) conditions.push(['call.principal = ?', principal]);
  if (outcome === 'running') conditions.push(['call_end.outcome IS NULL AND ?', 1]);
  else if (outcome !== undefined) conditions.push(['call_end.outcome = ?', outcome]);
  if (before !== undefined) conditions.push(['call.seq < ?', before]);
  if (since !== undefined) conditions.push(['call.at >= ?', since]);
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([text]) => text).join(' AND ')}` : '';
  const entries = sql
    .exec<Row>(
      `${SELECT} ${where} ORDER BY call.seq DESC LIMIT ?`,
      ...conditions.map(([, value]) => value),
      size + 1,
    )
    .toArray();
  const more = entries.length > size;
  const shown = more ? entries.slice(0, size) : entries;
  return { entries: shown, next: more ? (shown.at(-1)?.seq ?? null) : null };
}

/** The last calls of a tool, whatever became of them, for trying a new rule on. */
export function pastCalls(sql: Sql, tool: string, limit = 1_000): LedgerEntry[] {
  return sql.exec<Row>(`${SELECT} WHERE tool = ? ORDER BY call.seq DESC LIMIT ?`, tool, limit).toArray();
}

type Row = LedgerEntry & Record<string, SqlValue>;

const SELECT = `SELECT call.seq, call.id, call.at, principal, client, via, tool, machine, digest, args, decision,
  because, outcome, code, bytes, call_end.at - call.at AS durationMs FROM call LEFT JOIN call_end USING (seq)`;
