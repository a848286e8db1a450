import { setTimeout as wait } from 'node:timers/promises';
import { listProcesses, membersOf, type ProcessEntry, type Run, signalEach } from './process-tree.ts';

/** The longest time to end a run. After that, the processes that are left are reported. */
const GIVE_UP_MS = 5_000;
const LOOK_AGAIN_MS = 20;

/** Programs that hold a namespace open. Their end would kill everything inside, so a polite signal skips them. */
const HOLDERS = new Set(['bwrap', 'unshare']);

/** Follows the processes of one run, and ends them all. */
export interface Follower {
  /** Remembers the run's processes, so that one that leaves its family later is still known. */
  look(): void;
  /** Asks every process to stop. */
  ask(): void;
  /** Kills every process and what they start meanwhile. Gives the ids of those that did not end. */
  end(): Promise<number[]>;
}

/** Follows a run by its mark, its session and its descendants. `never` holds the ids that must not be harmed. */
export function follow(run: () => Run, never: ReadonlySet<number>): Follower {
  const known = new Map<number, string>();
  const members = (): ProcessEntry[] => {
    const current = run();
    const found = membersOf(current, listProcesses(current.mark), known, never);
    for (const { pid, started } of found) known.set(pid, started);
    return found;
  };
  return {
    look: () => {
      members();
    },
    ask: () => {
      const all = members();
      const inner = all.filter(({ inner }) => inner);
      const asked = inner.length > 0 ? inner : all.filter(({ name }) => !HOLDERS.has(name));
      // Stop all of them at one moment: otherwise a shell whose child ends first would go on with its next command.
      signalEach(asked, 'SIGSTOP');
      signalEach(asked, 'SIGTERM');
      // Continue all of them, because a holder may have stopped together with the process that it waits for.
      signalEach(all, 'SIGCONT');
    },
    end: async () => {
      const giveUp = performance.now() + GIVE_UP_MS;
      for (;;) {
        const left = members();
        if (left.length === 0) return [];
        // Stop them first: otherwise a process that keeps forking would stay a step ahead of the kills.
        signalEach(left, 'SIGSTOP');
        signalEach(left, 'SIGKILL');
        if (performance.now() > giveUp) return left.map(({ pid }) => pid);
        await wait(LOOK_AGAIN_MS);
      }
    },
  };
}
