import { hello } from './hello.ts';

/** Every tool Bowline promises, by contract name. */
export const catalogue = { hello } as const;

export type Catalogue = typeof catalogue;
export type ToolName = keyof Catalogue;
