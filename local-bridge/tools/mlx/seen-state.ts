import { stateOf } from '../../../src/core/preview.ts';
import type { Server } from './registry.ts';

/**
 * Gives the state that an owner relies on when they approve an unload: this very server is stopped, not the next one
 * on its port.
 */
export function serverState({ id }: Server): string {
  return stateOf(id);
}
