import type { AnyContract, Output } from '../../contracts/contract.ts';
import type { Result } from '../core/call.ts';
import type { Call, Handler } from '../core/handler.ts';
import type { Door } from '../core/invoke.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import type { Looked, Previewer } from '../core/preview.ts';
import type { CallState } from './call-rows.ts';
import type { RunningCall } from './kept-call.ts';
import type { MachineStatus } from './machine-port.ts';
import type { Known } from './pick.ts';

/** The owner's machines, as calls reach them. */
export interface Machines {
  /** Finds the machine and the folder of a call, before anybody is asked about it. */
  readonly place: Door['place'];
  /** Asks the machine what a call would do. */
  look(call: PreparedCall, signal: AbortSignal): Promise<Looked>;
  /** Runs a call on the machine that it was prepared for. */
  call<C extends AnyContract>(contract: C, call: Call<C>): Promise<Result<Output<C>>>;
  list(): Promise<readonly (Known & { readonly status: MachineStatus })[]>;
  /** Gives what is kept of a call, if this principal made it. */
  outcome(id: string, principal: string): Promise<OutcomeKept | undefined>;
  /**
   * Says how a call that changes something runs, if this principal made it: by its id, or the newest open one by its machine
   * and digest.
   */
  running(by: AskedRun, principal: string): Promise<RunningCall | undefined>;
  /** Cancels a call that changes something, if this principal made it. */
  cancel(id: string, principal: string): Promise<void>;
}

/** A run that a caller asks about. */
export type AskedRun = { readonly id: string } | { readonly machine: string; readonly digest: string };

/** The state of a call, with its result once it has ended. */
export interface OutcomeKept {
  readonly tool: string;
  readonly state: CallState;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly text: string | null;
  /** The machine of the call, and the time since which it is away (`null` if it is connected). */
  readonly machine: string;
  readonly awaySince: number | null;
}

/** The dependency with which a handler reaches a machine. */
export interface MachinesPort {
  readonly machines: Machines;
}

/** Makes the handler of a tool that runs on a machine. It is the same for all such tools. */
export function onMachine<C extends AnyContract>(contract: C): Handler<C, MachinesPort> {
  return (_, call, { machines }) => machines.call(contract, call);
}

/** Previews any machine tool by asking the machine. */
export const previewOnMachine: Previewer<AnyContract, MachinesPort> = (
  _,
  { prepared, signal },
  { machines },
) => machines.look(prepared, signal);
