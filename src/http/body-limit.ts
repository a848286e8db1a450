import type { Caller } from '../core/call.ts';
import type { Tool } from '../core/tools.ts';
import { MAX_BODY_BYTES } from './body.ts';

/** Gives the largest body that a caller's call of a tool may come in. Who may not call the tool gets no more than usual. */
export function bodyLimitOf({ contract }: Tool, { scopes }: Pick<Caller, 'scopes'>): number {
  return scopes.has(contract.scope) ? (contract.limits.bodyBytes ?? MAX_BODY_BYTES) : MAX_BODY_BYTES;
}
