import type { AnyContract } from '../../contracts/contract.ts';
import { catalogue } from '../../contracts/index.ts';
import { isJoinedName } from '../../src/joined/names.ts';

/** Tells whether a word names a tool: one of Bowline's, or one of a joined server. */
export function isToolName(word: string): boolean {
  const contracts: AnyContract[] = Object.values(catalogue);
  return isJoinedName(word) || contracts.some(({ wireName }) => wireName === word);
}
