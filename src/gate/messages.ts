import type { Risk } from '../../contracts/contract.ts';
import type { Preview } from '../../contracts/preview.ts';

/** A call as the gate is told of it. Everything here is plain data: it crosses to the object and back. */
export interface GateCall {
  readonly callId: string;
  readonly principal: string;
  readonly client: string;
  readonly via: string;
  readonly tool: string;
  /** The machine that runs it, by its registered name; `null` is the gateway. */
  readonly machine: string | null;
  /** Its id, which no other machine ever has. */
  readonly machineId: string | null;
  /** The open folder it works in, by its registered name. */
  readonly root: string | null;
  readonly risk: Risk;
  readonly approval: 'never' | 'ask';
  readonly perMinute: number;
  readonly digest: string;
  /** The arguments in their one spelling. */
  readonly args: string;
  /** The arguments without secrets and shortened, for the ledger. */
  readonly shownArgs: string;
  readonly idempotencyKey: string | null;
  /** What proves that this very request was sent before, if it was; `null` where nothing does. Never like a key. */
  readonly requestName: string | null;
  /** The number of an earlier call under the key that is known not to have run: it and those before do not count. */
  readonly voidedUpTo: number;
  /** Why the caller wants it, in its own words. */
  readonly reason?: string;
  /** What the owner is to see of what the call would do; `null` until somebody looked. */
  readonly shown: ShownPreview | null;
  /** The approval that a client's signed state says this call is the retry of. */
  readonly retryOf: string | null;
}

/** What the owner can say to a call. */
export type Decision = 'approve' | 'deny' | 'always' | 'run';

/** The longest sentence that goes with a decision, or with a question. */
export const MAX_NOTE_CHARS = 300;

/** A preview as it is kept with an approval, or why there is none. */
export type ShownPreview = { readonly preview: Preview } | { readonly why: string };

/** An approval as callers may know it. */
export interface OpenApproval {
  readonly id: string;
  readonly code: string;
  readonly expiresAt: number;
}

/** The gate's answer to `admit`. */
export type GateAnswer =
  | { readonly kind: 'admitted'; readonly seq: number; readonly seen?: string }
  /** The owner would be asked: somebody has to look first at what the call would do. */
  | { readonly kind: 'look' }
  | { readonly kind: 'ask'; readonly approval: OpenApproval; readonly isNew: boolean }
  | {
      readonly kind: 'refused';
      readonly code: GateRefusal;
      readonly retryAfterMs?: number;
      /** What the owner said with their no. */
      readonly note?: string;
    }
  | EarlierAnswer
  | UnsettledAnswer;

/** The answer about one of several calls; what fails for one of them must not fail the others. */
export type GateReply = GateAnswer | { readonly kind: 'threw'; readonly message: string };

/** The same call was let in already, and the ledger does not know what came of it. */
export interface UnsettledAnswer {
  readonly kind: 'unsettled';
  readonly seq: number;
  readonly callId: string;
  readonly at: number;
  /** How it ended as far as its caller was told, if it ended; that does not say whether it ran. */
  readonly code: string | null;
}

/** The same call ran already. */
export interface EarlierAnswer {
  readonly kind: 'earlier';
  readonly callId: string;
  readonly outcome: 'ok' | 'failed';
  /** Its output, or its failure, as JSON; `null` if that was too long to keep. */
  readonly result: string | null;
  readonly at: number;
}

export type GateRefusal =
  | 'rate_limited'
  | 'ledger_full'
  | 'denied_by_rule'
  | 'approval_denied'
  | 'approval_expired'
  | 'approval_used'
  | 'approval_mismatch'
  | 'too_many_pending'
  | 'too_many_of_yours'
  | 'idempotency_conflict';

/** How a call ended, for the ledger. */
export interface GateEnd {
  /** By the clock of whoever saw it end. */
  readonly at: number;
  readonly outcome: 'ok' | 'failed' | 'asked';
  readonly code: string | null;
  readonly bytes: number;
  /** The output or failure without secrets, to answer a repeat with; `null` for reads and what is too long. */
  readonly result: string | null;
}

/**
 * The end of a call on its way to the ledger: of one that was let in, by number; of one that was turned away; or of
 * one that something else than the gate let in, for the reason that `allowed` gives.
 */
export type CallEnding = (
  | { readonly seq: number }
  | { readonly call: GateCall; readonly allowed?: string }
) & {
  readonly end: GateEnd;
  /** Set if it was sent before and nobody knows whether it arrived. */
  again?: boolean;
};

/** Calls that were turned away and get no rows: how many, of whom, and why. */
export interface RefusalCount {
  readonly principal: string;
  readonly tool: string;
  readonly code: string;
  readonly at: number;
  count: number;
}

/** What travels to the gate once a call is over. */
export type Ending = CallEnding | RefusalCount;
