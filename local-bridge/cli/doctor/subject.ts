import type { Ask } from './ask.ts';
import type { Vendor } from './vendors.ts';

/** The gateway that is looked at, and what it is looked at with. */
export interface Subject {
  /** Its address, without a path. */
  readonly url: string;
  readonly ask: Ask;
  readonly budgetMs: number;
  /** A bearer for `/mcp`; without one, what needs a sign-in is left out. */
  readonly token: string | undefined;
  /** Whether apps are registered for good, which leaves unused entries behind. */
  readonly registers: boolean;
  readonly vendors: readonly Vendor[];
  now(): number;
}

/** An address on this computer, where nothing needs encryption. */
export function isHere(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}
