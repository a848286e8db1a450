import type { InputRequests } from '@modelcontextprotocol/server';
import type { AnyContract, Input, Output, OwnErrorCode } from '../../contracts/contract.ts';
import type { Caller, Extras, Progress, Question, Refusal, Result, Success } from './call.ts';
import type { FailureDetail } from './failure.ts';
import type { PreparedCall } from './prepared-call.ts';

/** The things that a handler gets besides its input. The types refuse a wrong key or code. */
export interface Call<C extends AnyContract> {
  readonly id: string;
  readonly caller: Caller;
  /** The decided call: where it runs, and its one text. */
  readonly prepared: PreparedCall;
  /** Aborts when the caller leaves or the tool's time is up. */
  readonly signal: AbortSignal;
  /**
   * Gives the refusal to end with if the tool finds another state than the owner approved; else `undefined`. The gate may
   * have let the call in for any one of several states.
   */
  changedSince(...states: readonly string[]): Refusal | undefined;
  ok(output: Output<C>, extras?: Extras): Success<Output<C>>;
  fail(code: OwnErrorCode<C>, detail?: string | FailureDetail): Refusal;
  ask(requests: InputRequests, state?: string): Question;
  progress(update: Progress): void;
}

export type Handler<C extends AnyContract, Ports> = (
  input: Input<C>,
  call: Call<C>,
  ports: Ports,
) => Result<Output<C>> | Promise<Result<Output<C>>>;
