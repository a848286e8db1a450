import type { AnyContract, Output } from '../../contracts/contract.ts';
import type { Refusal, Result } from '../core/call.ts';
import type { Call, Handler } from '../core/handler.ts';
import type { Door } from '../core/invoke.ts';
import type { Place, PreparedCall } from '../core/prepared-call.ts';
import type { Looked, Previewer } from '../core/preview.ts';
import type { CallState } from './call-rows.ts';
import type { MachineStatus } from './machine-port.ts';
import type { Known } from './pick.ts';

/** The owner's machines, as calls reach them. */
export interface Machines {
  /** Finds the machine and the folder of a call, before anybody is asked about it. */
  readonly place: Door['place'];
  /** The place of a tool that one machine alone has. */
  placeOn(id: string): Promise<Place | Refusal>;
  /** Asks the machine what a call would do. */
  look(call: PreparedCall, signal: AbortSignal): Promise<Looked>;
  /** Runs a call on the machine it was prepared for. */
  call<C extends AnyContract>(contract: C, call: Call<C>): Promise<Result<Output<C>>>;
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
  return (_, call, { machines }) => machines.call(contract, call);
}

/** The previewer of every tool that runs on a machine: the machine says. */
export const previewOnMachine: Previewer<AnyContract, MachinesPort> = (
  _,
  { prepared, signal },
  { machines },
) => machines.look(prepared, signal);
