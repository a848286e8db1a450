import { redactValue } from '../core/redact.ts';
import type { Sql } from '../storage/sql.ts';
import type { ShownPreview } from './messages.ts';

/** The longest part of an approved diff that the ledger keeps. */
const MAX_DIFF_CHARS = 4_000;

/** Keeps with a call what the owner saw when they approved it, and how long they took. */
export function keepYes(sql: Sql, seq: number, approvalId: string): void {
  const row = sql
    .exec<{ waited: number; shown: string | null }>(
      'SELECT coalesce(decided_at, opened_at) - opened_at AS waited, shown FROM approval WHERE id = ?',
      approvalId,
    )
    .toArray()[0];
  if (!row) return;
  const shown: ShownPreview | null = row.shown === null ? null : JSON.parse(row.shown);
  const diff = shown && 'preview' in shown ? shown.preview.diff : null;
  sql.exec('INSERT INTO call_yes VALUES (?, ?, ?)', seq, Math.max(0, row.waited), diff && keptDiff(diff));
}

/** Gives a diff without secrets, cut at the end of a line. */
function keptDiff(diff: string): string {
  const text = String(redactValue(diff));
  if (text.length <= MAX_DIFF_CHARS) return text;
  const end = Math.max(text.lastIndexOf('\n', MAX_DIFF_CHARS), 0) || MAX_DIFF_CHARS;
  const left = text.slice(end).trim().split('\n').length;
  return `${text.slice(0, end).toWellFormed()}\n… [${left} more lines]`;
}
