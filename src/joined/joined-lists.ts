import type { AnyContract } from '../../contracts/contract.ts';
import type { ToolSet } from '../core/tools.ts';
import { type JoinedOffer, NOTHING_JOINED } from './joined-offer.ts';

/**
 * Makes a description of all tools, once until the list of joined ones changes. If two tools have one name, Bowline's
 * own counts.
 */
export function listWith<T>(
  { tools, joined }: { readonly tools: ToolSet; readonly joined?: JoinedOffer | undefined },
  make: (contracts: readonly AnyContract[]) => T,
): () => Promise<{ readonly version: number; readonly made: T }> {
  let last: { readonly version: number; readonly made: T } | undefined;
  return async () => {
    const { version, tools: others } = (await joined?.list()) ?? NOTHING_JOINED;
    if (last?.version !== version) {
      const more = [...others].flatMap(([name, { contract }]) => (tools.has(name) ? [] : [contract]));
      const contracts = [...[...tools.values()].map(({ contract }) => contract), ...more];
      last = { version, made: make(contracts) };
    }
    return last;
  };
}
