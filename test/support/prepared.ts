import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller } from '../../src/core/call.ts';
import {
  type MachineRef,
  type PreparedCall,
  prepareCall,
  type RootRef,
} from '../../src/core/prepared-call.ts';
import { everyone } from './tools.ts';

interface Place {
  readonly machine?: MachineRef;
  readonly root?: RootRef;
  readonly caller?: Caller;
  readonly callId?: string;
}

/** A call as a side prepares it before anybody is asked about it. */
export function prepared(
  contract: AnyContract,
  args: unknown,
  { machine, root, caller = everyone, callId = 'call_1' }: Place = {},
): PreparedCall {
  const input = contract.input.parse(args);
  return prepareCall({ callId, contract, caller, input }, { machine: machine ?? null, root: root ?? null });
}
