import type { Door } from '../../../src/core/invoke.ts';
import { machineFailure } from '../../../src/core/machine-failure.ts';
import { AT_THE_GATEWAY, takesMachine, takesRoot } from '../../../src/core/prepared-call.ts';
import { rootIn, textIn } from '../../../src/core/root-of.ts';
import type { Root } from '../../agent/policy/roots.ts';

/** Places calls without a gateway: on this computer, in its own open folders, and nowhere else. */
export function placeHere(name: string, roots: readonly Root[]): Door['place'] {
  const machine = { id: 'here', name };
  const standing = { online: true, since: null, roots };
  return (contract, input) => {
    if (contract.runsOn === 'gateway') return AT_THE_GATEWAY;
    const asked = takesMachine(contract) ? textIn(input, 'machine') : undefined;
    if (asked !== undefined && asked.toLowerCase() !== name.toLowerCase()) {
      return machineFailure('unknown_machine', {
        message: `${asked} cannot be reached without a gateway. This computer is ${name}.`,
        suggestion: 'Leave `machine` out to run it here, or call through the gateway without `--local`.',
      });
    }
    if (!takesRoot(contract)) return { machine, root: null };
    const found = rootIn(machine, standing, input);
    return 'kind' in found ? found : { machine, ...found };
  };
}
