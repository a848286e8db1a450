import type { AnyContract } from '../../contracts/contract.ts';
import type { ToolSet } from '../core/tools.ts';
import { isOff, type JoinedOffer, NOTHING_JOINED } from './joined-offer.ts';

/**
 * Makes a description of all tools that are switched on, once until the list changes. If two tools have one name, Bowline's
 * own counts.
 */
export function listWith<T>(
  { tools, joined }: { readonly tools: ToolSet; readonly joined?: JoinedOffer | undefined },
  make: (contracts: readonly AnyContract[]) => T,
): () => Promise<{ readonly version: number; readonly made: T }> {
  let last: { readonly version: number; readonly made: T } | undefined;
  return async () => {
    const list = (await joined?.list()) ?? NOTHING_JOINED;
    const { version, tools: others } = list;
    if (last?.version !== version) {
      const more = [...others].flatMap(([name, { contract }]) => (tools.has(name) ? [] : [contract]));
      const own = [...tools.values()].map(({ contract }) => contract);
      const contracts = [...own.filter((contract) => !isOff(contract, list)), ...more];
      last = { version, made: make(contracts) };
    }
    return last;
  };
}
