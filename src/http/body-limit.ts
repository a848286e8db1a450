import type { Caller } from '../core/call.ts';
import type { Tool } from '../core/tools.ts';
import { MAX_BODY_BYTES } from './body.ts';

/** Gives the largest body for a caller's call of a tool. A caller who may not call the tool gets the usual limit. */
export function bodyLimitOf({ contract }: Tool, { scopes }: Pick<Caller, 'scopes'>): number {
  return scopes.has(contract.scope) ? (contract.limits.bodyBytes ?? MAX_BODY_BYTES) : MAX_BODY_BYTES;
}
