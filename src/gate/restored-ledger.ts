import * as z from 'zod';
import type { Sql, SqlValue } from '../storage/sql.ts';
import { isArchived } from './archive-rows.ts';
import type { LedgerEntry, LedgerFilter, LedgerPage } from './ledger.ts';

const text = z.string().max(2_000);

/** A call of another gateway's ledger, from its backup. Its number is below zero. */
export const restoredCall = z.strictObject({
  seq: z.int().max(-1),
  id: text,
  at: z.int(),
  principal: text,
  client: text,
  via: text,
  tool: text,
  machine: text.nullable(),
  digest: text,
  args: z.string().max(2_000_000),
  decision: text,
  because: z.string().max(20_000),
  outcome: text.nullable(),
  code: text.nullable(),
  bytes: z.int().nullable(),
  durationMs: z.int().nullable(),
});

type RestoredCall = z.infer<typeof restoredCall>;

const COLUMNS = Object.keys(restoredCall.shape) as (keyof RestoredCall)[];

/** Adds calls, each once. Refuses a different call with the same number. */
export function restoreCalls(sql: Sql, calls: readonly RestoredCall[]): { refused: number | null } {
  for (const call of calls) {
    const known = sql
      .exec<{ id: string }>('SELECT id FROM restored_call WHERE seq = ?', call.seq)
      .toArray()[0];
    if (known && known.id !== call.id) return { refused: call.seq };
    if (known || isArchived(sql, call.seq)) continue;
    const values = COLUMNS.map((name) => call[name]);
    sql.exec(`INSERT INTO restored_call (${COLUMNS}) VALUES (${COLUMNS.map(() => '?')})`, ...values);
  }
  return { refused: null };
}

/** Fills the end of the ledger's last page with calls from before the gateway was set up again. */
export function withRestored(sql: Sql, page: LedgerPage, filter: LedgerFilter): LedgerPage {
  const { tool, principal, client, machine, outcome, before, since, until, limit = 50 } = filter;
  const room = Math.min(limit, 200) - page.entries.length;
  if (page.next !== null) return page;
  const conditions: [string, SqlValue | undefined][] = [
    ['tool = ?', tool],
    ['principal = ?', principal],
    ['client = ?', client],
    ['machine = ?', machine],
    [outcome === 'running' ? "coalesce(outcome, 'running') = ?" : 'outcome = ?', outcome],
    ['seq < ?', before],
    ['at >= ?', since],
    ['at < ?', until],
  ];
  const asked = conditions.filter(([, value]) => value !== undefined);
  const where = asked.length > 0 ? `WHERE ${asked.map(([condition]) => condition).join(' AND ')}` : '';
  const found = sql
    .exec<LedgerEntry & Record<string, SqlValue>>(
      `SELECT * FROM restored_call ${where} ORDER BY seq DESC LIMIT ?`,
      ...asked.map(([, value]) => value ?? null),
      room + 1,
    )
    .toArray();
  const entries = [...page.entries, ...found.slice(0, room)];
  // Continue before this number. A live call's number comes before all restored ones.
  return { ...page, entries, next: found.length > room ? (entries.at(-1)?.seq ?? null) : null };
}
