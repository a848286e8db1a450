import type { InputRequests } from '@modelcontextprotocol/server';
import type { AnyContract, Input, Output, OwnErrorCode } from '../../contracts/contract.ts';
import type { Caller, Extras, Progress, Question, Refusal, Result, Success } from './call.ts';
import type { FailureDetail } from './failure.ts';
import type { PreparedCall } from './prepared-call.ts';

/** What a handler is given besides its input; typed so that a wrong key or code does not compile. */
export interface Call<C extends AnyContract> {
  readonly id: string;
  readonly caller: Caller;
  /** The call as it was decided about: where it runs, and its one text. */
  readonly prepared: PreparedCall;
  /** Aborts when the caller goes away or the tool's time is up. */
  readonly signal: AbortSignal;
  /** The refusal to end with if what the tool found is not what the owner saw when they said yes. */
  changedSince(state: string): Refusal | undefined;
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
