import { writeMemoryEntry } from '../../contracts/memory.ts';
import type { EarlierCall, Fate } from '../core/fate.ts';
import type { Request } from '../core/invoke.ts';
import { fateOnMachine } from '../machines/fate.ts';
import type { Machines } from '../machines/reach.ts';
import type { Memory } from '../memory/memory-port.ts';
import { fateOfWrite } from './memory.ts';

/** Asks whoever was to run a call of the gateway's tools what became of it. */
export async function fateOf(
  request: Request,
  earlier: EarlierCall,
  { machines, memory }: { readonly machines: Machines; readonly memory: Memory },
): Promise<Fate | undefined> {
  if (request.contract.runsOn === 'machine') return fateOnMachine(request, earlier, machines);
  const isWrite = request.contract.wireName === writeMemoryEntry.wireName;
  return isWrite ? fateOfWrite(request, earlier, memory) : undefined;
}
