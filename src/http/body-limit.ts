import type { Tool } from '../core/tools.ts';
import { MAX_BODY_BYTES } from './body.ts';

/** Gives the largest body that a call of a tool may come in. */
export function bodyLimitOf({ contract }: Tool): number {
  return contract.limits.bodyBytes ?? MAX_BODY_BYTES;
}
