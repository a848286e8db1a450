import { stateOf } from '../../../src/core/preview.ts';
import type { Server } from './registry.ts';

/** What an owner who approves an unload relies on: that this very server is stopped, and not the next on its port. */
export function serverState({ id }: Server): string {
  return stateOf(id);
}
