import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Refusal } from '../core/call.ts';
import { machineFailure } from '../core/machine-failure.ts';
import { AT_THE_GATEWAY, type MachineRef, type Place, takesRoot } from '../core/prepared-call.ts';
import { rootIn, textIn } from '../core/root-of.ts';
import type { picker } from './pick.ts';

/**
 * Finds the place of a call before rules and the owner are asked. It uses the registered names of machine and
 * open folder, however the caller wrote them, and also if the caller left them out.
 */
export function placer({ pick, find, folders }: ReturnType<typeof picker>) {
  const rootOn = async (machine: MachineRef, input: unknown) => {
    const found = rootIn(machine, await folders(machine.id), input);
    // The bridge may have restarted with other folders.
    return 'kind' in found ? rootIn(machine, await folders(machine.id, true), input) : found;
  };

  const placeOn = async (id: string): Promise<Place | Refusal> => {
    const machine = await find((one) => one.id === id);
    return machine
      ? { machine: { id, name: machine.name }, root: null }
      : machineFailure('unknown_machine', {
          message: 'The machine that has this tool is not paired any more.',
        });
  };

  return {
    /** Finds the place of a call: the machine that it names, or the only one that has its tool. */
    place(
      contract: AnyContract,
      input: unknown,
      _caller: Caller,
      onlyOn?: string,
    ): Place | Promise<Place | Refusal> {
      if (onlyOn !== undefined) return placeOn(onlyOn);
      if (contract.runsOn === 'gateway') return AT_THE_GATEWAY;
      return (async () => {
        const machine = await pick(textIn(input, 'machine'));
        if ('kind' in machine) return machine;
        const { id, name } = machine;
        if (!takesRoot(contract)) return { machine: { id, name }, root: null };
        const found = await rootOn({ id, name }, input);
        return 'kind' in found ? found : { machine: { id, name }, ...found };
      })();
    },
  };
}
