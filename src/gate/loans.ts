import { randomBytes } from 'node:crypto';
import { ANYBODY, OWNER_PRINCIPAL } from '../core/call.ts';
import { isWithin, lately } from '../core/clock.ts';
import { isRecord } from '../core/is-record.ts';
import type { Sql, SqlValue } from '../storage/sql.ts';
import type { FullApproval } from './approval-rows.ts';
import { typedOf } from './ledger-said.ts';
import type { Ending, GateCall, GateEnd } from './messages.ts';
import { isLasting, SEND_TOOL, START_TOOL } from './rules/rule-kin.ts';

/** The time for which a terminal is lent, from the owner's decision on. */
export const LOAN_MS = 3_600_000;
const DAY = 86_400_000;
/** The most of what was typed that is shown of one loan. */
const MAX_SHOWN = 8;

/** The owner's yes to everything that one caller types into one lasting terminal, for an hour. */
export interface Loan {
  readonly id: string;
  readonly principal: string;
  readonly client: string;
  readonly machineId: string | null;
  readonly machine: string | null;
  readonly session: string;
  /** The call that started the terminal. */
  readonly startedBy: string;
  /** The number of the approved call in the ledger. */
  readonly seq: number;
  readonly lentAt: number;
}

/** A loan with what was typed under it, the newest first. */
export interface ShownLoan extends Loan {
  readonly endsAt: number;
  readonly sends: number;
  readonly last: readonly {
    readonly seq: number;
    readonly at: number;
    readonly typed: string;
    readonly outcome: string | null;
  }[];
}

/** Loans to end: one, those of one caller, those of one machine, or all. */
export interface WhichLoans {
  readonly id?: string;
  readonly principal?: string;
  readonly machineId?: string;
}

type Row = Loan & { endedAt: number | null } & Record<string, SqlValue>;

const LOAN_ROWS = `SELECT id, principal, client, machine_id AS machineId, machine, session, started_by AS startedBy, seq,
  lent_at AS lentAt FROM terminal_loan WHERE ended_at IS NULL AND seq IS NOT NULL`;

/** Answers of a machine that has no such terminal any more, or another one under that name. */
const GONE: ReadonlySet<string | null> = new Set([
  ...['session_not_found', 'session_ended', 'changed_since_approval'],
]);

/**
 * The loans of lasting terminals. They stay when the gate restarts: each has its end, and the machine lets only the very
 * terminal be typed to that was lent.
 */
export class Loans {
  readonly #sql: Sql;
  readonly #told: () => void;
  /** The loans that were not ended, so that a call under none reads no row for them. Read again after each change. */
  #known: readonly Loan[] | undefined;

  /** `told` hears that something about loans is new. */
  constructor(sql: Sql, told: () => void) {
    this.#sql = sql;
    this.#told = told;
  }

  /** Notes that the owner lends the terminal of a call that they approve. The loan begins when that call is let in. */
  offer(asked: FullApproval, now: number): void {
    const lasting = lendable(asked);
    if (!lasting) throw new Error('No terminal of this call can be lent.');
    this.#sql.exec('DELETE FROM terminal_loan WHERE lent_at < ?', now - DAY);
    this.#sql.exec(
      `INSERT INTO terminal_loan (id, approval, principal, client, machine, session, started_by, lent_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      `loan_${randomBytes(6).toString('hex')}`,
      asked.id,
      asked.principal,
      asked.client,
      asked.machine,
      lasting.session,
      lasting.startedBy,
      now,
    );
  }

  /** Begins the loan that came with an approval, if one did, now that its call is let in as number `seq`. */
  begin(approval: string, call: GateCall, seq: number, now: number): void {
    if (!isLasting(call.tool)) return;
    const query = 'SELECT id FROM terminal_loan WHERE approval = ? AND ended_at IS NULL AND seq IS NULL';
    const [offered] = this.#sql.exec<{ id: string }>(query, approval).toArray();
    if (!offered) return;
    const session = sessionIn(call.args);
    this.#endIf((loan) => isOf(loan, call, session), now);
    this.#sql.exec(
      `UPDATE terminal_loan SET machine_id = ?, machine = ?, started_by = coalesce(started_by, ?), seq = ? WHERE id = ?`,
      call.machineId,
      call.machine,
      call.callId,
      seq,
      offered.id,
    );
    this.#changed();
  }

  /** Finds the loan that a call may run under. */
  of(call: GateCall, now: number): Loan | undefined {
    if (call.tool !== SEND_TOOL) return undefined;
    const live = this.#live(now);
    if (live.length === 0) return undefined;
    const session = sessionIn(call.args);
    return live.find((loan) => isOf(loan, call, session));
  }

  /** Notes that something was typed under a loan. */
  used(): void {
    this.#told();
  }

  /** Moves the loans of a machine to its new name. */
  machineRenamed(id: string, to: string): void {
    this.#sql.exec('UPDATE terminal_loan SET machine = ? WHERE machine_id = ?', to, id);
    this.#changed();
  }

  list(now: number): ShownLoan[] {
    return this.#live(now).map((loan) => {
      const under = `FROM call LEFT JOIN call_end USING (seq)
        WHERE tool = '${SEND_TOOL}' AND effect = 1 AND call.seq > ? AND because = ?`;
      const bound = [loan.seq, loanReason(loan.id)];
      const { sends } = this.#sql
        .exec<{ sends: number }>(`SELECT count(*) AS sends ${under}`, ...bound)
        .one();
      const last = this.#sql
        .exec<{ seq: number; at: number; args: string; outcome: string | null }>(
          `SELECT call.seq, call.at, args, coalesce(code, outcome) AS outcome ${under} ORDER BY call.seq DESC LIMIT ${MAX_SHOWN}`,
          ...bound,
        )
        .toArray();
      return {
        ...loan,
        endsAt: loan.lentAt + LOAN_MS,
        sends,
        last: last.map(({ args, ...one }) => ({ ...one, typed: typedOf(args) })),
      };
    });
  }

  /** Ends loans, all of them if nothing is named, and those that did not begin yet. Gives how many had begun. */
  end({ id, principal, machineId }: WhichLoans, now: number): number {
    const count = this.#live(now).filter(
      (loan) =>
        (id === undefined || loan.id === id) &&
        (principal === undefined || loan.principal === principal) &&
        (machineId === undefined || loan.machineId === machineId),
    ).length;
    // Not only those that are live: a yes may still wait for its call, or the clock may have been set back.
    this.#sql.exec(
      `UPDATE terminal_loan SET ended_at = ?1 WHERE ended_at IS NULL AND id = ifnull(?2, id)
       AND principal = ifnull(?3, principal) AND (?4 IS NULL OR machine_id = ?4)`,
      now,
      id ?? null,
      principal ?? null,
      machineId ?? null,
    );
    this.#changed();
    return count;
  }

  /** Lists what loans let in and a machine may still type: the calls without a sure end, also of loans that have ended. */
  underway({ id, principal, machineId }: WhichLoans): { callId: string; machineId: string }[] {
    return this.#sql
      .exec<{ callId: string; machineId: string }>(
        `SELECT call.id AS callId, machine_id AS machineId FROM terminal_loan AS loan
         JOIN call ON call.seq > loan.seq AND because = 'loan ' || loan.id AND tool = '${SEND_TOOL}' AND effect = 1
         WHERE machine_id IS NOT NULL AND loan.id = ifnull(?1, loan.id) AND loan.principal = ifnull(?2, loan.principal)
         AND machine_id = ifnull(?3, machine_id) AND NOT EXISTS (SELECT 1 FROM call_end WHERE seq = call.seq
           AND coalesce(code, '') NOT IN ('still_running', 'outcome_unknown', 'internal_error'))
         ORDER BY call.seq`,
        id ?? null,
        principal ?? null,
        machineId ?? null,
      )
      .toArray();
  }

  /** Ends loans whose terminal is over, as far as the ends of calls tell. */
  heard(endings: readonly Ending[], now: number): void {
    const ended = endings.flatMap((ending) => ('seq' in ending ? [ending] : []));
    if (ended.length === 0 || this.#live(now).length === 0) return;
    const query = 'SELECT id, tool, principal, machine, args, because FROM call WHERE seq = ?';
    for (const { seq, end } of ended) {
      const call = this.#sql.exec<CallRow>(query, seq).toArray()[0];
      if (!call || !TERMINALS.has(call.tool)) continue;
      this.#endIf((loan) => isOver(loan, call, end), now);
      if (call.because.startsWith('loan ')) this.#told();
    }
  }

  #live(now: number): Loan[] {
    this.#known ??= this.#sql.exec<Row>(`${LOAN_ROWS} ORDER BY lent_at DESC`).toArray();
    const [, upTo] = lately(LOAN_MS, now);
    // The clock was set back, so nobody knows how much of the hour is over.
    if (this.#known.some(({ lentAt }) => lentAt > upTo)) {
      this.#sql.exec(
        'UPDATE terminal_loan SET ended_at = ? WHERE ended_at IS NULL AND lent_at > ?',
        now,
        upTo,
      );
      this.#known = this.#known.filter(({ lentAt }) => lentAt <= upTo);
    }
    return this.#known.filter(({ lentAt }) => isWithin(LOAN_MS, lentAt, now));
  }

  #changed(): void {
    this.#known = undefined;
    this.#told();
  }

  #endIf(over: (loan: Loan) => boolean, now: number): number {
    const ending = this.#live(now).filter(over);
    for (const { id } of ending)
      this.#sql.exec('UPDATE terminal_loan SET ended_at = ? WHERE id = ?', now, id);
    if (ending.length > 0) this.#changed();
    return ending.length;
  }
}

/**
 * Gives the terminal that the owner may lend with a call; undefined if there is none. The owner's own calls lend none:
 * whoever stole a session could type without a proof.
 */
export function lendable({
  tool,
  principal,
  shown,
}: Pick<FullApproval, 'tool' | 'principal' | 'shown'>):
  | { readonly session: string; readonly startedBy: string | null }
  | undefined {
  if (!isLasting(tool) || principal === ANYBODY || principal === OWNER_PRINCIPAL) return undefined;
  const lasting = 'preview' in shown ? shown.preview.lasting : undefined;
  return lasting && (lasting.startedBy === null) === (tool === START_TOOL) ? lasting : undefined;
}

/** Names in the ledger the loan that let a call through. */
export function loanReason(id: string): string {
  return `loan ${id}`;
}

function isOf(loan: Loan, call: Pick<GateCall, 'principal' | 'machineId'>, session: string): boolean {
  return loan.principal === call.principal && loan.machineId === call.machineId && loan.session === session;
}

/** The tools whose ends tell of a terminal. */
const TERMINALS = new Set<string>([START_TOOL, SEND_TOOL, 'terminal_stop']);

type CallRow = {
  id: string;
  tool: string;
  principal: string;
  machine: string | null;
  args: string;
  because: string;
};

/** Tells if the end of a call shows that a loan's terminal is over. When in doubt it is, and the owner is asked again. */
function isOver(loan: Loan, call: CallRow, end: GateEnd): boolean {
  if (call.tool === START_TOOL && call.id === loan.startedBy) return end.outcome !== 'ok' || hasEnded(end);
  const isSame =
    loan.principal === call.principal &&
    loan.machine === call.machine &&
    loan.session === sessionIn(call.args);
  if (!isSame) return false;
  // Another terminal of that name runs now.
  if (call.tool === START_TOOL) return end.outcome === 'ok';
  return end.outcome === 'ok' ? hasEnded(end) : GONE.has(end.code);
}

function hasEnded({ result }: GateEnd): boolean {
  const output: unknown = result === null ? undefined : JSON.parse(result);
  const metadata = isRecord(output) ? output.metadata : undefined;
  return isRecord(metadata) && metadata.running === false;
}

function sessionIn(args: string): string {
  const { session } = JSON.parse(args);
  return String(session);
}
