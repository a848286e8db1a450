import { writeMemoryEntry } from '../../contracts/memory.ts';
import { type Failure, failureOf } from '../core/failure.ts';

/** The memory's tables are not what they should be, and so it serves nothing. */
export function lockedFailure(because: string): Failure {
  const message = `The memory refuses to serve, because ${because}.`;
  return failureOf('memory_locked', writeMemoryEntry.errors.memory_locked, { message });
}
