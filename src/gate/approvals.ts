import { randomBytes } from 'node:crypto';
import {
  APPROVAL_MS,
  type Approval,
  approvalCode,
  consume,
  decideApproval,
  isOpen,
  isWithdrawn,
  openApproval,
  view,
  withdrawApproval,
} from '../core/approval.ts';
import { ends } from '../core/clock.ts';
import type { Sql } from '../storage/sql.ts';
import {
  approvalOf,
  type FullApproval,
  findByCode,
  findById,
  full,
  latestOf,
  type Row,
  rowByCode,
  save,
} from './approval-rows.ts';
import { type GateCall, type GateRefusal, MAX_NOTE_CHARS, type OpenApproval } from './messages.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const PART_CHARS = 256 * 1024;
const MAX_LISTED = 200;

/** The state of a call that needs a yes: it may run, must wait, or may not run. */
export type Standing =
  | { readonly kind: 'run'; readonly approval: Approval; readonly seen: string | null }
  | { readonly kind: 'look' }
  | { readonly kind: 'wait'; readonly approval: OpenApproval; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly code: GateRefusal; readonly note?: string };

/** Finds or opens the approval of a call, and uses it up if it was given. */
export function standingOf(sql: Sql, call: GateCall, maxPending: number, now: number): Standing {
  const known = call.retryOf === null ? latestOf(sql, call) : findById(sql, call.retryOf);
  if (call.retryOf !== null && !known) return { kind: 'refused', code: 'approval_mismatch' };
  if (!known) return open(sql, call, maxPending, now);
  const answer = consume(known, { digest: call.digest, principal: call.principal }, now);
  if (answer.ok) {
    save(sql, answer.approval);
    return { kind: 'run', approval: answer.approval, seen: seenIn(sql, known.id) };
  }
  if (answer.code === 'approval_pending') return { kind: 'wait', approval: summary(known), isNew: false };
  const { code } = answer;
  // Without a signed reference, a call like one whose approval is over is a new call, once its caller knows
  // how the old one ended.
  const isNew = call.retryOf === null || (code === 'approval_expired' && isWithdrawn(known));
  if (isNew && isOver(known, now)) return open(sql, call, maxPending, now);
  if (code === 'approval_expired') save(sql, { ...view(known, now), told: true });
  const note = code === 'approval_denied' ? noteOf(sql, known.id) : null;
  return { kind: 'refused', code, ...(note === null ? {} : { note }) };
}

/** Uses up the approval of a call, if one was given and is not used yet. */
export function useApproved(
  sql: Sql,
  call: GateCall,
  now: number,
): Extract<Standing, { kind: 'run' }> | undefined {
  const known = latestOf(sql, call);
  const answer = known && consume(known, call, now);
  if (!answer?.ok) return undefined;
  save(sql, answer.approval);
  return { kind: 'run', approval: answer.approval, seen: seenIn(sql, answer.approval.id) };
}

/** Tells if the owner said no to this very call, and that no still stands. */
export function isDenied(sql: Sql, call: GateCall, now: number): boolean {
  const known = call.retryOf === null ? latestOf(sql, call) : findById(sql, call.retryOf);
  return known?.state === 'denied' && isOpen(known, now);
}

/** Closes the question about a call that runs because its terminal was lent meanwhile. */
export function settleByLoan(sql: Sql, call: GateCall, loan: string, now: number): void {
  const known = latestOf(sql, call);
  const decided = known && decideApproval(known, 'approve', loan, now);
  if (decided?.ok) save(sql, { ...decided.approval, state: 'consumed', consumedAt: now, told: true });
}

/**
 * Finds the newest approval of a call, if it was used up and its caller never learned the outcome. A caller
 * that sends the same call again is the one that asked.
 */
export function untoldRun(sql: Sql, call: GateCall): Approval | undefined {
  const known = latestOf(sql, call);
  return known?.state === 'consumed' && !known.told ? known : undefined;
}

/** Notes that the caller was told. */
export function noteTold(sql: Sql, approval: Approval): void {
  save(sql, { ...approval, told: true });
}

/** Gives the state that the owner saw when they were asked. */
function seenIn(sql: Sql, id: string): string | null {
  return sql.exec<{ seen: string | null }>('SELECT seen FROM approval WHERE id = ?', id).one().seen;
}

/** Gives the owner's sentence with a no. */
export function noteOf(sql: Sql, id: string): string | null {
  return sql.exec<{ note: string | null }>('SELECT note FROM approval WHERE id = ?', id).one().note;
}

/** Keeps the owner's sentence with a no. Keeps nothing if it is blank. */
export function keepNote(sql: Sql, id: string, note: string): void {
  const said = note.trim().slice(0, MAX_NOTE_CHARS).toWellFormed();
  if (said !== '') sql.exec('UPDATE approval SET note = ? WHERE id = ?', said, id);
}

/** Tells if an approval no longer counts for new calls like it. */
function isOver(approval: Approval, now: number): boolean {
  const { state, told } = view(approval, now);
  if (state === 'consumed') return true;
  return state === 'expired' ? told : state === 'denied' && !isOpen(approval, now);
}

function open(sql: Sql, call: GateCall, maxPending: number, now: number): Standing {
  forgetOld(sql, now);
  const { digest, principal } = call;
  if (countPending(sql, now) >= maxPending) return { kind: 'refused', code: 'too_many_pending' };
  if (countPending(sql, now, principal) >= shareOf(maxPending)) {
    return { kind: 'refused', code: 'too_many_of_yours' };
  }
  if (call.shown === null) return { kind: 'look' };
  const id = randomBytes(16).toString('base64url');
  const approval = openApproval({ id, code: freshCode(sql), digest, principal, now });
  sql.exec(
    `INSERT INTO approval VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, NULL, NULL, NULL, 0, ?12, ?13, ?14, NULL, ?15,
       0, (SELECT coalesce(max(turn), 0) + 1 FROM approval WHERE principal = ?4 AND digest = ?3))`,
    approval.id,
    approval.code,
    approval.digest,
    approval.principal,
    call.client,
    call.tool,
    call.machine,
    call.risk,
    approval.state,
    approval.openedAt,
    approval.expiresAt,
    call.root,
    JSON.stringify(call.shown),
    'preview' in call.shown ? call.shown.preview.state : null,
    call.reason ?? null,
  );
  const parts = inParts(call.args);
  // What was sent in another order stands before the canonical text, by numbers below zero.
  const sent = inParts(call.sent ?? '');
  for (const [i, text] of [...sent, ...parts].entries()) {
    sql.exec('INSERT INTO approval_args VALUES (?, ?, ?)', approval.id, i - sent.length, text);
  }
  return { kind: 'wait', approval: summary(approval), isNew: true };
}

/** Cuts a text to fit its rows, but never inside a surrogate pair, because the database keeps no half of one. */
function inParts(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + PART_CHARS;
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end -= 1;
    parts.push(text.slice(at, end));
  }
  return parts;
}

/** Records the owner's decision on an approval. */
export function decide(
  sql: Sql,
  code: string,
  decision: 'approve' | 'deny',
  by: string,
  now: number,
): { approval: Approval } | { refused: string; message: string } {
  const known = findByCode(sql, code);
  if (!known) return { refused: 'not_found', message: '' };
  const answer = decideApproval(known, decision, by, now);
  if (!answer.ok) return { refused: answer.code, message: answer.message };
  save(sql, answer.approval);
  return { approval: answer.approval };
}

/** Counts the callers who were told to come back for the decision and are not back yet. */
export function noteAnswered(sql: Sql, id: string, more: 1 | -1): void {
  sql.exec('UPDATE approval SET answered = max(0, answered + ?) WHERE id = ?', more, id);
}

/**
 * Withdraws an approval for the principal that asked, or one whose only callers left, so that no later yes runs their
 * call.
 */
export function withdraw(sql: Sql, id: string, now: number, by: string | null = null): boolean {
  const query =
    'SELECT 1 FROM approval WHERE id = ?1 AND CASE WHEN ?2 IS NULL THEN answered = 0 ELSE principal = ?2 END';
  const known = sql.exec(query, id, by).toArray().length > 0 ? findById(sql, id) : undefined;
  const withdrawn = known && withdrawApproval(known, now);
  if (withdrawn) save(sql, withdrawn);
  return withdrawn !== undefined;
}

/**
 * Lists the last day's approvals, newest first. One at a time, because all their arguments may not fit in
 * memory.
 */
export function* listApprovals(sql: Sql, state: string | undefined, now: number) {
  const query = 'SELECT * FROM approval WHERE opened_at > ? ORDER BY opened_at DESC';
  let left = MAX_LISTED;
  for (const row of sql.exec<Row>(query, now - DAY).toArray()) {
    if (state !== undefined && view(approvalOf(row), now).state !== state) continue;
    if (left-- === 0) return;
    yield full(sql, row, now);
  }
}

/** Finds the waiting approval that expires next. */
export function nextPending(sql: Sql, now: number): string | null {
  const query =
    "SELECT code FROM approval WHERE state = 'pending' AND expires_at > ? AND expires_at <= ? ORDER BY expires_at LIMIT 1";
  return sql.exec<{ code: string }>(query, ...ends(APPROVAL_MS, now)).toArray()[0]?.code ?? null;
}

/** Counts the waiting approvals of all callers, or of one. */
export function countPending(sql: Sql, now: number, principal: string | null = null): number {
  const query =
    "SELECT count(*) AS waiting FROM approval WHERE state = 'pending' AND expires_at > ?1 AND expires_at <= ?2 AND principal = ifnull(?3, principal)";
  return sql.exec<{ waiting: number }>(query, ...ends(APPROVAL_MS, now), principal).one().waiting;
}

/** Gives the number of places that one caller may hold, so that none keeps all others from asking. */
function shareOf(maxPending: number): number {
  return Math.max(1, Math.floor(maxPending / 4));
}

export function approvalByCode(sql: Sql, code: string, now: number): FullApproval | undefined {
  const row = rowByCode(sql, code);
  return row && full(sql, row, now);
}

export function stateOf(sql: Sql, id: string, now: number): Approval['state'] | undefined {
  const known = findById(sql, id);
  return known && view(known, now).state;
}

/** Gives the code of an approval that a call used up. */
export function codeOfUsed(sql: Sql, id: string): string | undefined {
  const known = findById(sql, id);
  return known?.state === 'consumed' ? known.code : undefined;
}

/** Moves what waits for a machine, or may run on it, to its new name. */
export function machineRenamed(sql: Sql, from: string, to: string): void {
  sql.exec('UPDATE approval SET machine = ? WHERE machine = ? COLLATE NOCASE', to, from);
}

/** Ends what waits for a machine of that name, or may run on it. */
export function voidMachine(sql: Sql, name: string): void {
  sql.exec(
    `UPDATE approval SET state = 'expired' WHERE machine = ? COLLATE NOCASE AND state IN ('pending', 'approved')`,
    name,
  );
}

function forgetOld(sql: Sql, now: number): void {
  // The rows hold arguments with all their secrets, and the ledger already holds what happened.
  sql.exec(
    'DELETE FROM approval_args WHERE approval IN (SELECT id FROM approval WHERE opened_at < ?)',
    now - DAY,
  );
  sql.exec('DELETE FROM approval WHERE opened_at < ?', now - DAY);
}

/** Drops approvals that ended over an hour ago, with their arguments. Tells if there were any. */
export function dropOver(sql: Sql, now: number): boolean {
  const over = "opened_at < ? AND (state IN ('denied', 'expired', 'consumed') OR expires_at < ?)";
  const before = now - HOUR;
  sql.exec(
    `DELETE FROM approval_args WHERE approval IN (SELECT id FROM approval WHERE ${over})`,
    before,
    before,
  );
  return sql.exec(`DELETE FROM approval WHERE ${over}`, before, before).rowsWritten > 0;
}

function freshCode(sql: Sql): string {
  for (;;) {
    const code = approvalCode(randomBytes(8));
    if (sql.exec('SELECT 1 FROM approval WHERE code = ?', code).toArray().length === 0) return code;
  }
}

function summary({ id, code, expiresAt }: Approval): OpenApproval {
  return { id, code, expiresAt };
}
