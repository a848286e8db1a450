import type { Refusal, Success } from './call.ts';
import type { FailureDetail } from './failure.ts';

/** A call that was let in and of which the ledger has no outcome, or none that says whether it ran. */
export interface EarlierCall {
  readonly callId: string;
  /** When it was let in. */
  readonly at: number;
}

/** What became of such a call, as far as whoever was to run it knows. */
export type Fate =
  | { readonly kind: 'ended'; readonly result: Success | Refusal; readonly at: number | null }
  | { readonly kind: 'running'; readonly detail?: FailureDetail }
  /** Nobody can say whether it took effect. */
  | { readonly kind: 'unknown'; readonly detail?: FailureDetail }
  /** It certainly changed nothing and never will. */
  | { readonly kind: 'not_run' };
