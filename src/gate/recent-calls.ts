const MINUTE = 60_000;
/** Far more principals and tools than one owner has. */
const MAX_KEPT = 1_000;

interface Count {
  /** The minute in which `now` counts, as a number since the epoch. */
  readonly minute: number;
  readonly now: number;
  readonly before: number;
}

/**
 * Keeps an upper bound of the calls of the last minute, so that callers far from a limit need no count of the
 * ledger. Correct only while nobody else writes to the ledger.
 */
export class RecentCalls {
  readonly #counts = new Map<string, Count>();

  /** Gives the bound, or `undefined` if only the ledger can tell. */
  atMost(principal: string, tool: string, at: number): number | undefined {
    const count = this.#counts.get(keyOf(principal, tool));
    const minute = Math.floor(at / MINUTE);
    // After the clock went back, the count says nothing about the last minute.
    if (!count || minute < count.minute) return undefined;
    if (minute === count.minute) return count.now + count.before;
    return minute === count.minute + 1 ? count.now : 0;
  }

  /** Learns the ledger's count of the last minute. */
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
