import type { AnyContract, Input, Output } from '../../contracts/contract.ts';
import type { Call, Handler, Result } from '../core/call.ts';
import type { CallState } from './call-rows.ts';
import type { MachineStatus } from './machine-port.ts';
import type { Known } from './pick.ts';

/** The owner's machines, as calls reach them. */
export interface Machines {
  /** `on` is the machine's name, for a tool that only one has; otherwise the input may name one. */
  call<C extends AnyContract>(
    contract: C,
    input: Input<C>,
    call: Call<C>,
    on?: string,
  ): Promise<Result<Output<C>>>;
  list(): Promise<readonly (Known & { readonly status: MachineStatus })[]>;
  /** What is kept of a call, if this principal made it. */
  outcome(id: string, principal: string): Promise<OutcomeKept | undefined>;
}

/** How a call stands, with what came of it once it has ended. */
export interface OutcomeKept {
  readonly tool: string;
  readonly state: CallState;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly text: string | null;
  /** Where it runs or ran, and since when that machine is not connected; `null` if it is. */
  readonly machine: string;
  readonly awaySince: number | null;
}

/** What a handler needs to reach a machine. */
export interface MachinesPort {
  readonly machines: Machines;
}

/** The handler of a tool that runs on a machine: the same for all of them. */
export function onMachine<C extends AnyContract>(contract: C): Handler<C, MachinesPort> {
  return (input, call, { machines }) => machines.call(contract, input, call);
}
