import type { Fact } from '../../contracts/preview.ts';
import { type Approval, isWithdrawn, view } from '../core/approval.ts';
import type { Sql } from '../storage/sql.ts';
import { findByCode, full, latestOf, rowByCode } from './approval-rows.ts';
import { type Sentence, sentenceOf } from './approval-sentence.ts';
import { noteOf } from './approvals.ts';
import { callApprovedBy } from './calls.ts';

/** The approval that a card asks about: by its code, or by the call that it stands for. */
export interface AskedCard {
  readonly by: { readonly code: string } | { readonly digest: string };
  /** False if the card knows already what the call is. */
  readonly whole: boolean;
}

/** A waiting call as a card in the chat shows it. */
interface CardState {
  readonly code: string;
  readonly state: Approval['state'] | 'withdrawn';
  /** Milliseconds since the owner was asked. */
  readonly askedAgo: number;
  /** Milliseconds until the approval ends. */
  readonly left: number;
  /** The owner's sentence with a no. */
  readonly note: string | null;
  /** The run of the call, once its yes was used. */
  readonly ran: { readonly id: string; readonly outcome: string | null; readonly code: string | null } | null;
  /** What the call is. Left out for a card that knows it. */
  readonly call?: { readonly sentence: Sentence; readonly risk: string; readonly facts: readonly Fact[] };
}

/**
 * Gives what a card shows of a call, to the principal that made the call and to nobody else. It changes nothing: that a
 * card showed an end does not mean that the caller was told of it.
 */
export function cardState(
  sql: Sql,
  { by, whole }: AskedCard,
  principal: string,
  now: number,
): CardState | null {
  const known = 'code' in by ? findByCode(sql, by.code) : latestOf(sql, { principal, digest: by.digest });
  if (known?.principal !== principal) return null;
  const { id, code, digest, state, openedAt, expiresAt } = view(known, now);
  const run =
    state === 'consumed' ? callApprovedBy(sql, { digest, principal, voidedUpTo: 0 }, code, now) : undefined;
  // The arguments may be long, so a card that asks again does without them.
  const row = whole ? rowByCode(sql, code) : undefined;
  return {
    code,
    state: isWithdrawn(known) ? 'withdrawn' : state,
    askedAgo: Math.max(0, now - openedAt),
    left: Math.max(0, expiresAt - now),
    note: noteOf(sql, id),
    ran: run ? { id: run.id, outcome: run.outcome, code: run.code } : null,
    ...(row ? { call: callOf(full(sql, row, now)) } : {}),
  };
}

/**
 * Says what the call is. It leaves the diff out: lines of a file may be nothing that this caller may read, and a card has
 * the call's own arguments.
 */
function callOf(approval: ReturnType<typeof full>): NonNullable<CardState['call']> {
  const { risk, shown, args } = approval;
  return {
    sentence: sentenceOf({ ...approval, args: JSON.parse(args) }),
    risk,
    facts: 'preview' in shown ? shown.preview.facts : [],
  };
}
