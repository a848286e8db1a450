const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Dials sooner after losing a connection than after failing to make one. */
const LONGEST_AFTER_LOSS_MS = 2_000;
const STABLE_MS = 10_000;

/** Chooses the wait before the next dial: any time up to a bound that doubles. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Gives the wait after an attempt that failed to connect. */
  afterFailure(): number {
    const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    return this.#random() * bound;
  }

  /** Gives the wait after losing a connection that had lasted `lastedMs`. */
  afterLoss(lastedMs: number): number {
    if (lastedMs >= STABLE_MS) this.#failures = 0;
    const bound = Math.min(LONGEST_AFTER_LOSS_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, Math.log2(LONGEST_AFTER_LOSS_MS / FIRST_MS));
    return this.#random() * bound;
  }
}
