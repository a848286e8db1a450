import type { Refusal, Success } from './call.ts';
import type { FailureDetail } from './failure.ts';

/** An admitted call of which the ledger does not say whether it ran. */
export interface EarlierCall {
  readonly callId: string;
  /** The time when it was admitted. */
  readonly at: number;
}

/** The fate of such a call, as far as the side that was to run it knows. */
export type Fate =
  | { readonly kind: 'ended'; readonly result: Success | Refusal; readonly at: number | null }
  | { readonly kind: 'running'; readonly detail?: FailureDetail }
  /** Nobody can say whether it took effect. */
  | { readonly kind: 'unknown'; readonly detail?: FailureDetail }
  /** It changed nothing and never will. */
  | { readonly kind: 'not_run' };
