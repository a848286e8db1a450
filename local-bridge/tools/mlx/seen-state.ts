import { stateOf } from '../../../src/core/preview.ts';
import type { Server } from './registry.ts';

/**
 * Gives the state that the owner sees when they approve an unload. It names this very server, so that the next one on
 * its port is not stopped instead.
 */
export function serverState({ id }: Server): string {
  return stateOf(id);
}
