import { writeMemoryEntry } from '../../contracts/memory.ts';
import type { EarlierCall, Fate } from '../core/fate.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import { fateOnMachine } from '../machines/fate.ts';
import type { Machines } from '../machines/reach.ts';
import type { Memory } from '../memory/memory-port.ts';
import { fateOfWrite } from './memory.ts';

/** Asks the side that was to run a gateway tool's call what became of it. */
export async function fateOf(
  call: PreparedCall,
  earlier: EarlierCall,
  { machines, memory }: { readonly machines: Machines; readonly memory: Memory },
): Promise<Fate | undefined> {
  if (call.contract.runsOn === 'machine') return fateOnMachine(call, earlier, machines);
  const isWrite = call.contract.wireName === writeMemoryEntry.wireName;
  return isWrite ? fateOfWrite(call, earlier, memory) : undefined;
}
