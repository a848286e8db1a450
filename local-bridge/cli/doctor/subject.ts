import type { Ask } from './ask.ts';
import type { Vendor } from './vendors.ts';

/** The examined gateway, and the means to examine it. */
export interface Subject {
  /** Its address, without a path. */
  readonly url: string;
  readonly ask: Ask;
  readonly budgetMs: number;
  /** A bearer token for `/mcp`. Without one, checks that need a sign-in are left out. */
  readonly token: string | undefined;
  /** True to register apps for good, which leaves unused entries behind. */
  readonly registers: boolean;
  readonly vendors: readonly Vendor[];
  now(): number;
}

/** Tells whether an address is on this computer, where nothing needs encryption. */
export function isHere(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
