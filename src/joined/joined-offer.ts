import type { Tool, ToolSet } from '../core/tools.ts';

/** Tools that come and go while the gateway runs: those of joined servers. */
export interface JoinedOffer {
  /** What there is, with a number that is another one when the list is. */
  list(): Promise<JoinedList>;
  /** One of them. Costs nothing for names that can be none of theirs. */
  find(name: string): Promise<Tool | undefined>;
}

export interface JoinedList {
  readonly version: number;
  readonly tools: ToolSet;
}

export const NOTHING_JOINED: JoinedList = { version: 0, tools: new Map() };
