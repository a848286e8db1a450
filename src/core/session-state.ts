import { stateOf } from './preview.ts';

/**
 * Gives the state of a lasting terminal as a whole, whatever runs in it. No two terminals share it, because no two were
 * started by the same call. A loan depends on it alone.
 */
export function sessionState(startedBy: string): string {
  return stateOf('lasting terminal', startedBy);
}
