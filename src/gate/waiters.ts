/** Callers that wait for something to happen under a name, for as long as this object stays awake. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();
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

  /** Tells if somebody waits for that name. */
  has(name: string): boolean {
    return this.#waiting.has(name);
  }

  wake(name: string): void {
    this.count += 1;
    for (const end of [...(this.#waiting.get(name) ?? [])]) end();
  }
}
