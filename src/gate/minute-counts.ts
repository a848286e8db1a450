const MINUTE = 60_000;
/** Far more callers and tools than one owner has. */
const MAX_KEPT = 1_000;

/**
 * Counts what happens in each minute of the clock. Kept in memory, it makes floods cheap but is no exact
 * limit.
 */
export class MinuteCounts {
  readonly #minutes = new Map<string, { readonly minute: number; readonly count: number }>();

  of(key: string, at: number): number {
    const known = this.#minutes.get(key);
    return known?.minute === Math.floor(at / MINUTE) ? known.count : 0;
  }

  add(key: string, at: number): void {
    if (!this.#minutes.has(key) && this.#minutes.size >= MAX_KEPT) this.#minutes.clear();
    this.#minutes.set(key, { minute: Math.floor(at / MINUTE), count: this.of(key, at) + 1 });
  }
}

/** Gives the milliseconds until the next minute of the clock. */
export function untilNextMinute(at: number): number {
  return MINUTE - (at % MINUTE);
}
