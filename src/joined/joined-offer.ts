import type { AnyContract, Group } from '../../contracts/contract.ts';
import type { Tool, ToolSet } from '../core/tools.ts';

/** Tools that come and go while the gateway runs: those of joined servers. */
export interface JoinedOffer {
  /** Gives the list, with a number that changes with it. */
  list(): Promise<JoinedList>;
  /** Finds one of them. Costs nothing for names that cannot belong to a joined tool. */
  find(name: string): Promise<Tool | undefined>;
}

export interface JoinedList {
  readonly version: number;
  readonly tools: ToolSet;
  /** Bowline's own groups of tools that the owner switched off. They are not listed. */
  readonly off: ReadonlySet<Group>;
}

export const NOTHING_JOINED: JoinedList = { version: 0, tools: new Map(), off: new Set() };

/** Tells if the list leaves a tool out. A call of it is refused by the gate. */
export function isOff({ group }: AnyContract, { off }: Pick<JoinedList, 'off'>): boolean {
  return group !== undefined && off.has(group);
}
