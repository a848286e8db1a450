const MINUTE = 60_000;
/** Far more principals and tools than one owner has. */
const MAX_KEPT = 1_000;

interface Count {
  /** The minute that `now` counts in, as a number since the epoch. */
  readonly minute: number;
  readonly now: number;
  readonly before: number;
}

/**
 * At least as many calls as were let in during the last minute, for those who are far from a limit: they need not
 * have the ledger counted. Good only while nobody else writes to the ledger.
 */
export class RecentCalls {
  readonly #counts = new Map<string, Count>();

  /** The bound; `undefined` if the ledger has to be asked. */
  atMost(principal: string, tool: string, at: number): number | undefined {
    const count = this.#counts.get(keyOf(principal, tool));
    const minute = Math.floor(at / MINUTE);
    // A clock that went back says nothing about what its last minute holds.
    if (!count || minute < count.minute) return undefined;
    if (minute === count.minute) return count.now + count.before;
    return minute === count.minute + 1 ? count.now : 0;
  }

  /** Takes what the ledger said of the last minute. */
  learn(principal: string, tool: string, at: number, calls: number): void {
    if (this.#counts.size >= MAX_KEPT) this.#counts.clear();
    this.#counts.set(keyOf(principal, tool), { minute: Math.floor(at / MINUTE), now: calls, before: 0 });
  }

  add(principal: string, tool: string, at: number): void {
    const key = keyOf(principal, tool);
    const count = this.#counts.get(key);
    if (!count) return;
    const minute = Math.floor(at / MINUTE);
    if (minute < count.minute) this.#counts.delete(key);
    else if (minute === count.minute) this.#counts.set(key, { ...count, now: count.now + 1 });
    else this.#counts.set(key, { minute, now: 1, before: minute === count.minute + 1 ? count.now : 0 });
  }
}

function keyOf(principal: string, tool: string): string {
  return `${tool} ${principal}`;
}
