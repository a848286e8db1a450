import { type Approval, isWithdrawn, view } from '../core/approval.ts';
import type { Sql } from '../storage/sql.ts';
import { findByCode, latestOf, type Row, rowByCode, shortArgs } from './approval-rows.ts';
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
  readonly call?: { readonly sentence: Sentence; readonly risk: string };
}

/** The longest arguments that a card's sentence is made of. To read those of a long file costs as much as a call. */
export const MAX_READ_BYTES = 64 * 1024;

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
  // A card that asks again knows what the call is.
  const row = whole ? rowByCode(sql, code) : undefined;
  return {
    code,
    state: isWithdrawn(known) ? 'withdrawn' : state,
    askedAgo: Math.max(0, now - openedAt),
    left: Math.max(0, expiresAt - now),
    note: noteOf(sql, id),
    ran: run ? { id: run.id, outcome: run.outcome, code: run.code } : null,
    ...(row ? { call: callOf(row, shortArgs(sql, id, MAX_READ_BYTES)) } : {}),
  };
}

/**
 * Says what the call is, by its own words alone. What the look at the machine or the memory found is for the owner: until
 * they say yes, the caller must not learn it.
 */
function callOf(row: Row, args = '{}'): NonNullable<CardState['call']> {
  return { sentence: sentenceOf({ ...row, args: JSON.parse(args) }), risk: row.risk };
}
