import type { Group, Risk } from '../../contracts/contract.ts';
import type { Preview } from '../../contracts/preview.ts';

/** A call as the gate receives it. All of it is plain data, because it travels to the object and back. */
export interface GateCall {
  readonly callId: string;
  readonly principal: string;
  readonly client: string;
  readonly via: string;
  readonly tool: string;
  /** The group of the tool. Some tools belong to none. */
  readonly group?: Group;
  /** The registered name of the machine that runs it. `null` means the gateway. */
  readonly machine: string | null;
  /** The machine's id, which no other machine ever gets. */
  readonly machineId: string | null;
  /** The registered name of the open folder that it works in. */
  readonly root: string | null;
  readonly risk: Risk;
  readonly approval: 'never' | 'ask';
  readonly perMinute: number;
  readonly digest: string;
  /** The arguments as canonical JSON. */
  readonly args: string;
  /** The arguments as they were sent, if their keys stood in another order and the tool can tell. */
  readonly sent?: string;
  /** The arguments for the ledger: without secrets, and shortened. */
  readonly shownArgs: string;
  readonly idempotencyKey: string | null;
  /** A name that proves that this request was sent before, or `null`. It never looks like a key. */
  readonly requestName: string | null;
  /**
   * The number of an earlier call with the same key that surely did not run. It and older ones do not count.
   */
  readonly voidedUpTo: number;
  /** The caller's reason, in its own words. */
  readonly reason?: string;
  /** The preview for the owner. `null` until somebody made one. */
  readonly shown: ShownPreview | null;
  /** The approval that this call retries, from a client's signed state. */
  readonly retryOf: string | null;
  /** True for a read of what the gateway itself has: it asks no machine and nobody outside. */
  readonly isPlainRead?: true;
}

/** A read that the gate let in and remembers. It gets its row with its end. */
export interface NotedRead {
  /** The memory of the gate that has it. */
  readonly by: string;
  /** The time at which it was let in. */
  readonly at: number;
  /** Its row gets a number above this one. */
  readonly after: number;
}

/** A noted read, as whoever made it knows it. */
export interface OpenRead {
  readonly call: GateCall;
  readonly noted: NotedRead;
  /** Left out while it runs. */
  readonly end?: GateEnd;
}

/** The owner's decision about a call. `lend` approves it and lends its lasting terminal. */
export type Decision = (typeof DECISIONS)[number];

export const DECISIONS = ['approve', 'deny', 'always', 'lend', 'run'] as const;

/** The longest sentence to go with a decision or a question. */
export const MAX_NOTE_CHARS = 300;

/** A preview as it is kept with an approval, or why there is none. */
export type ShownPreview = { readonly preview: Preview } | { readonly why: string };

/** An approval, as far as callers may know it. */
export interface OpenApproval {
  readonly id: string;
  readonly code: string;
  readonly expiresAt: number;
}

/** The gate's answer to `admit`. */
export type GateAnswer =
  /** `seq` is `null` for a call without a row, whose end is only counted. */
  | {
      readonly kind: 'admitted';
      readonly seq: number | null;
      readonly seen?: string;
      /** Given for a read that has no row yet. */
      readonly noted?: NotedRead;
    }
  /** The owner has to decide, so somebody must make a preview first. */
  | { readonly kind: 'look' }
  | { readonly kind: 'ask'; readonly approval: OpenApproval; readonly isNew: boolean }
  | {
      readonly kind: 'refused';
      readonly code: GateRefusal;
      readonly retryAfterMs?: number;
      /** The owner's sentence with a no. */
      readonly note?: string;
    }
  | EarlierAnswer
  | UnsettledAnswer;

/** The gate has forgotten the reads that are open here, and wants to be told of them before it counts. */
export interface TellFirst {
  readonly kind: 'tell';
}

/** The answer about one of several calls. If one call throws, the others still get their answers. */
export type GateReply = GateAnswer | TellFirst | { readonly kind: 'threw'; readonly message: string };

/** The same call was let in before, and its outcome is not in the ledger. */
export interface UnsettledAnswer {
  readonly kind: 'unsettled';
  readonly seq: number;
  readonly callId: string;
  readonly at: number;
  /** The code that its caller was told, if it ended. It does not tell if the call ran. */
  readonly code: string | null;
}

/** The same call ran before. */
export interface EarlierAnswer {
  readonly kind: 'earlier';
  readonly callId: string;
  readonly outcome: 'ok' | 'failed';
  /** Its output or failure as JSON. `null` if that was too long to keep. */
  readonly result: string | null;
  readonly at: number;
}

export type GateRefusal =
  | 'rate_limited'
  | 'ledger_full'
  | 'group_off'
  | 'denied_by_rule'
  | 'approval_denied'
  | 'approval_expired'
  | 'approval_used'
  | 'approval_mismatch'
  | 'too_many_pending'
  | 'too_many_of_yours'
  | 'idempotency_conflict';

/** The end of a call, for the ledger. */
export interface GateEnd {
  /** The time by the clock of whoever saw it end. */
  readonly at: number;
  readonly outcome: 'ok' | 'failed' | 'asked';
  readonly code: string | null;
  readonly bytes: number;
  /** The output or failure without secrets, to answer a repeat. `null` for reads and for long results. */
  readonly result: string | null;
  /** The files that the answer names as affected, as JSON for the ledger. */
  readonly files?: string;
}

/**
 * The end of a call on its way to the ledger. It belongs to a call that was let in (by number), to a refused
 * one, to one that got the outcome of the call `replayOf` again, or to one that something other than the gate let in,
 * for the reason in `allowed`.
 */
export type CallEnding = (
  | { readonly seq: number }
  | { readonly call: GateCall; readonly allowed?: string; readonly replayOf?: string | undefined }
) & {
  readonly end: GateEnd;
  /** True if it was sent before and nobody knows if it arrived. */
  again?: boolean;
  /** True for a call that never ran because the gate's answer was lost: it may have been let in. */
  readonly isUnsure?: true;
};

/** Calls that get no rows: how many, whose, and how they ended. */
export interface CallCount {
  readonly principal: string;
  readonly tool: string;
  /** The error's code, or `ok`. */
  readonly code: string;
  readonly at: number;
  count: number;
}

/** A message to the gate after a call. */
export type Ending = CallEnding | CallCount;
