import { writeMemoryEntry } from '../../contracts/memory.ts';
import { type Failure, failureOf } from '../core/failure.ts';

/** Makes the failure for a memory whose tables were changed. It then serves nothing. */
export function lockedFailure(because: string): Failure {
  const message = `The memory refuses to serve, because ${because}.`;
  return failureOf('memory_locked', writeMemoryEntry.errors.memory_locked, { message });
}
