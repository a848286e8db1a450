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
}

export const NOTHING_JOINED: JoinedList = { version: 0, tools: new Map() };
