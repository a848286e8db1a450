import { type Approval, isWithdrawn, view } from '../core/approval.ts';
import type { Sql } from '../storage/sql.ts';
import { type FullApproval, findById } from './approval-rows.ts';
import { approvalByCode, noteOf, noteTold } from './approvals.ts';
import { callApprovedBy, type Earlier } from './calls.ts';

/** The state of a call whose caller follows it from its approval to its end. */
export interface Followed {
  readonly code: string;
  readonly tool: string;
  readonly state: Approval['state'] | 'withdrawn';
  readonly openedAt: number;
  readonly changedAt: number;
  /** The owner's sentence with a no. */
  readonly note: string | null;
  /** The call itself, while its yes is unused. */
  readonly call: FullApproval | null;
  /** The run of the call, once its yes was used. */
  readonly ran: Pick<Earlier, 'id' | 'at' | 'outcome' | 'code' | 'result'> | null;
}

/** Gives the state of a call by its approval, to the principal that made it. To anybody else there is none. */
export function followedCall(sql: Sql, id: string, principal: string, now: number): Followed | null {
  const known = findById(sql, id);
  if (known?.principal !== principal) return null;
  const full = approvalByCode(sql, known.code, now);
  if (!full) return null;
  const { state, code, digest, openedAt, decidedAt, consumedAt } = view(known, now);
  const run =
    state === 'consumed' ? callApprovedBy(sql, { digest, principal, voidedUpTo: 0 }, code, now) : undefined;
  // The caller learns the end here, so the same call asks anew.
  if (state === 'expired' || run?.outcome) noteTold(sql, view(known, now));
  return {
    code,
    tool: full.tool,
    state: isWithdrawn(known) ? 'withdrawn' : state,
    openedAt,
    changedAt: consumedAt ?? decidedAt ?? openedAt,
    note: noteOf(sql, id),
    call: state === 'approved' ? full : null,
    ran: run ? { id: run.id, at: run.at, outcome: run.outcome, code: run.code, result: run.result } : null,
  };
}
