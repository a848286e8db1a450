import { writeMemoryEntry } from '../../contracts/memory.ts';
import { type Failure, failureOf } from '../core/failure.ts';

/** Makes the failure for a memory whose tables were changed. It then serves nothing. */
export function lockedFailure(because: string): Failure {
  return failureOf('memory_locked', writeMemoryEntry.errors.memory_locked, {
    message: lockedBecause(because),
  });
}

/** Says why a memory serves nothing. */
export function lockedBecause(because: string): string {
  return `The memory is locked, because ${because}.`;
}
