import type { Sql, SqlValue } from '../storage/sql.ts';
import { closeBlock } from './ledger-blocks.ts';
import { firstSince, nextSeq } from './ledger-place.ts';
import type { CallEnding, Ending, GateCall, GateEnd } from './messages.ts';
import { countCalls, type RefusedRows } from './refusals.ts';

const DAY = 86_400_000;

/** The row that was written last: its number, and the time of the last call that counts. */
export interface LastRow {
  readonly seq: number;
  readonly at: number;
}

const insert = (seq: string) =>
  `INSERT INTO call VALUES (${seq}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const AT_THE_END = `${insert('(SELECT coalesce(max(seq), 0) + 1 FROM call)')} RETURNING seq`;
const BEHIND_ANOTHER = insert('?');

/**
 * Writes a call down, let in or refused, and gives its number. Given the end of a read, writes that too. Given the row that
 * was just written, does not look for it.
 */
export function writeCall(
  sql: Sql,
  call: GateCall,
  verdict: { readonly counted: boolean; readonly decision: string; readonly because: string },
  now: number,
  end?: GateEnd,
  last?: LastRow,
): number {
  const isEffect = call.risk !== 'read_only';
  // Ends that are looked for by their outcome have rows of their own.
  const whole = end?.outcome === 'ok' ? end : undefined;
  const earlier = verdict.counted ? (last?.at ?? lastCounted(sql)) : undefined;
  const values = [
    call.callId,
    now,
    call.principal,
    call.client,
    call.via,
    call.tool,
    call.machine,
    call.digest,
    call.shownArgs,
    verdict.counted ? 1 : 0,
    isEffect ? 1 : 0,
    verdict.decision,
    verdict.because,
    // A read is never answered from an earlier one, so it needs no row in the index of these.
    isEffect ? (call.idempotencyKey ?? call.requestName) : null,
    whole?.at ?? null,
    whole?.bytes ?? null,
  ];
  const seq = last ? last.seq + 1 : sql.exec<{ seq: number }>(AT_THE_END, ...values).one().seq;
  if (last) sql.exec(BEHIND_ANOTHER, seq, ...values);
  if (earlier !== undefined && earlier > now) sql.exec('INSERT INTO clock_step VALUES (?, ?)', seq, earlier);
  closeBlock(sql, seq);
  if (end && !whole) writeEnd(sql, seq, end);
  return seq;
}

function lastCounted(sql: Sql): number | undefined {
  const last = 'SELECT at FROM call WHERE counted = 1 ORDER BY seq DESC LIMIT 1';
  return sql.exec<{ at: number }>(last).toArray()[0]?.at;
}

/** Records how a call ended. Ignores a second end of the same call, and the end of an unknown call. */
export function writeEnd(sql: Sql, seq: number, end: GateEnd): void {
  sql.exec(
    `INSERT INTO call_end SELECT seq, ?, ?, ?, ?, ? FROM call
     WHERE seq = ? AND ok_at IS NULL AND NOT EXISTS (SELECT 1 FROM call_end WHERE seq = call.seq)`,
    end.at,
    end.outcome,
    end.code,
    end.bytes,
    end.result,
    seq,
  );
  if (end.files === undefined) return;
  sql.exec(
    `INSERT INTO call_files SELECT seq, ? FROM call
     WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM call_files WHERE seq = call.seq)`,
    end.files,
    seq,
  );
}

/** An earlier call that was let in, as far as a repeat of it needs it. */
export interface Earlier {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly digest: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly result: string | null;
  readonly via: string;
}

const EARLIER = `SELECT call.seq, call.id, call.at, call.digest, via, outcome, code, result
  FROM call LEFT JOIN call_end USING (seq)`;

/** Finds the last call with this idempotency key or request name, if it was made within a day. */
export function callMarked(sql: Sql, call: GateCall, mark: string, now: number): Earlier | undefined {
  const last = sql
    .exec<Earlier & Record<string, SqlValue>>(
      `${EARLIER} WHERE principal = ? AND tool = ? AND idem = ? AND call.seq > ?
       AND counted = 1 AND outcome IS NOT 'asked' ORDER BY call.seq DESC LIMIT 1`,
      call.principal,
      call.tool,
      mark,
      call.voidedUpTo,
    )
    .toArray()[0];
  return last && last.at > now - DAY ? last : undefined;
}

/** Finds the call that used up an approval. */
export function callApprovedBy(
  sql: Sql,
  call: Pick<GateCall, 'digest' | 'principal' | 'voidedUpTo'>,
  code: string,
  now: number,
): Earlier | undefined {
  return sql
    .exec<Earlier & Record<string, SqlValue>>(
      `${EARLIER} WHERE digest = ? AND call.at > ? AND counted = 1 AND effect = 1 AND principal = ?
       AND decision = 'approved' AND because = ? AND call.seq > ? ORDER BY call.seq DESC LIMIT 1`,
      call.digest,
      now - DAY,
      call.principal,
      approvalReason(code),
      call.voidedUpTo,
    )
    .toArray()[0];
}

/** Finds the call that an approval let run, whoever made it, and how it ended. */
export function runOf(
  sql: Sql,
  { digest, code }: { readonly digest: string; readonly code: string },
): { readonly seq: number; readonly outcome: string | null; readonly code: string | null } | undefined {
  return sql
    .exec<{ seq: number; outcome: string | null; code: string | null }>(
      `SELECT call.seq, outcome, code FROM call LEFT JOIN call_end USING (seq)
       WHERE digest = ? AND decision = 'approved' AND counted = 1 AND effect = 1 AND because = ?
       ORDER BY call.seq DESC LIMIT 1`,
      digest,
      approvalReason(code),
    )
    .toArray()[0];
}

/** Names in the ledger the approval that let a call through. */
export function approvalReason(code: string): string {
  return `approval ${code}`;
}

/** Tells if a principal had anything changed since a call, on any machine. */
export function changedSince(sql: Sql, principal: string, seq: number): boolean {
  const query = 'SELECT 1 FROM call WHERE seq > ? AND principal = ? AND effect = 1 AND counted = 1 LIMIT 1';
  return sql.exec(query, seq, principal).toArray().length > 0;
}

/** Much longer than a call waits for the gate's answer. */
const UNSURE_MS = 120_000;

/** Gives the ends of calls that were let in although nobody heard of it to the rows of these calls. */
export function withTheirRows(sql: Sql, endings: readonly Ending[]): Ending[] {
  return endings.map((ending) => {
    if (!('call' in ending && ending.isUnsure)) return ending;
    const { call, end } = ending;
    const seq = rowOf(sql, call.callId, firstSince(sql, end.at - UNSURE_MS) - 1);
    return seq === undefined ? ending : { seq, end };
  });
}

/** Finds a call among those with a number above `after`. */
export function rowOf(sql: Sql, callId: string, after: number): number | undefined {
  const query = 'SELECT seq FROM call WHERE seq > ? AND id = ? LIMIT 1';
  return sql.exec<{ seq: number }>(query, after, callId).toArray()[0]?.seq;
}

/** Records the ends that came with a call. None of them may make it fail. */
export function writeEndings(sql: Sql, endings: readonly Ending[], rows?: Pick<RefusedRows, 'take'>): void {
  const written = writtenBefore(sql, endings);
  for (const ending of endings) {
    if ('count' in ending) countCalls(sql, ending);
    else if ('seq' in ending) writeEnd(sql, ending.seq, ending.end);
    else if (written.has(ending.call.callId)) continue;
    else if (ending.allowed === undefined) writeRefused(sql, ending, rows);
    else {
      const verdict = { counted: false, decision: 'allowed', because: ending.allowed };
      writeEnd(sql, writeCall(sql, ending.call, verdict, ending.end.at), ending.end);
    }
  }
}

/** Records a call that ran nothing. Only counts it if its caller was refused too often lately. */
function writeRefused(
  sql: Sql,
  { call, end, replayOf }: Extract<CallEnding, { call: GateCall }>,
  rows: Pick<RefusedRows, 'take'> | undefined,
): void {
  const code = end.code ?? end.outcome;
  const { principal, tool } = call;
  if (rows?.take(principal, end.at) === false) {
    countCalls(sql, { principal, tool, code, at: end.at, count: 1 });
    return;
  }
  const [decision, because] = replayOf === undefined ? ['refused', code] : ['replayed', replayOf];
  writeEnd(sql, writeCall(sql, call, { counted: false, decision, because }, end.at), end);
}

/** The newest rows to look through for calls that come again: at least, whatever the clock did, and at most. */
const LOOKED_AT = { least: 1_000, most: 20_000 };

/** Tells which calls that come again have their rows already: all at once, because many come together. */
function writtenBefore(sql: Sql, endings: readonly Ending[]): ReadonlySet<string> {
  const again = endings.flatMap((one) => ('call' in one && one.again ? [one] : []));
  if (again.length === 0) return new Set();
  const ids = JSON.stringify(again.map(({ call }) => call.callId));
  const top = nextSeq(sql);
  const oldest = firstSince(sql, Math.min(...again.map(({ end }) => end.at)) - UNSURE_MS);
  const from = Math.max(Math.min(oldest, top - LOOKED_AT.least), top - LOOKED_AT.most);
  const query = 'SELECT id FROM call WHERE seq >= ? AND id IN (SELECT value FROM json_each(?))';
  const rows = sql.exec<{ id: string }>(query, from, ids).toArray();
  return new Set(rows.map(({ id }) => id));
}

/** Drops kept results that are older than a day. */
export function forgetResults(sql: Sql, now: number): void {
  sql.exec('UPDATE call_end SET result = NULL WHERE result IS NOT NULL AND at < ?', now - DAY);
}

/** Drops the oldest kept results before their day is over. Tells if there were any. */
export function dropResults(sql: Sql, count: number): boolean {
  const oldest = 'SELECT seq FROM call_end WHERE result IS NOT NULL ORDER BY at LIMIT ?';
  return sql.exec(`UPDATE call_end SET result = NULL WHERE seq IN (${oldest})`, count).rowsWritten > 0;
}
