/** More than the time that a held call takes from one beat to the next. */
const BETWEEN_BEATS_MS = 3_000;
const MAX_HELD = 1_000;

/** Callers that wait for something to happen under a name, for as long as this object stays awake. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** A held call waits again and again. This keeps it from counting as gone between two waits. */
  readonly #comesBackUntil = new Map<string, number>();
  /** Rises with every wake, so that a feed can tell if it missed one. */
  count = Date.now();

  /** Resolves when somebody wakes the name, or after `ms`. */
  wait(name: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting);
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(name);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waiting.add(end);
    });
  }

  /** Waits like `wait`, for somebody who will wait for that name again soon. */
  async waitAgain(name: string, ms: number): Promise<void> {
    await this.wait(name, ms);
    this.#comesBackUntil.set(name, Date.now() + BETWEEN_BEATS_MS);
    if (this.#comesBackUntil.size > MAX_HELD) this.#comesBackUntil.clear();
  }

  /** Tells if somebody waits for that name, or did a moment ago and will again. */
  has(name: string): boolean {
    return this.#waiting.has(name) || (this.#comesBackUntil.get(name) ?? 0) > Date.now();
  }

  wake(name: string): void {
    this.count += 1;
    for (const end of [...(this.#waiting.get(name) ?? [])]) end();
  }
}
