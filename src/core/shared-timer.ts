/** The longest step of the timer. A clock that is set in the middle of one makes a wait wrong by no more than that. */
const STEP_MS = 1_000;
/** The most that a wait may end too early, so that waits that begin together need one timer. */
const EARLY_MS = 50;

interface Wait {
  readonly due: number;
  readonly work: () => void;
}

/**
 * One timer for several waits of seconds that begin together, and that hardly anybody waits out. To set a timer and to
 * clear it again costs a short request as much as to read its message.
 */
export class SharedTimer {
  readonly #waits = new Set<Wait>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The sum of all steps that are over. */
  #now = 0;
  #step = 0;
  #setAt = 0;

  /** Does something after a while. Gives a function that calls it off. */
  after(ms: number, work: () => void): () => void {
    const passed =
      this.#timer === undefined ? 0 : Math.max(0, Math.min(Date.now() - this.#setAt, this.#step));
    const wait = { due: this.#now + passed + ms, work };
    this.#waits.add(wait);
    if (passed + ms < this.#step - EARLY_MS) {
      this.#stop();
      this.#now += passed;
    }
    if (this.#timer === undefined) this.#set(ms);
    return () => {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.#stop();
    };
  }

  #set(ms: number): void {
    this.#step = Math.min(ms, STEP_MS);
    this.#setAt = Date.now();
    this.#timer = setTimeout(() => this.#ring(), this.#step);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#step = 0;
  }

  #ring(): void {
    this.#now += this.#step;
    this.#stop();
    const all = [...this.#waits];
    const over = all.filter(({ due }) => due <= this.#now + EARLY_MS);
    for (const wait of over) this.#waits.delete(wait);
    const rest = Math.min(...all.filter((wait) => this.#waits.has(wait)).map(({ due }) => due)) - this.#now;
    if (this.#waits.size > 0) this.#set(rest);
    for (const { work } of over) work();
  }
}
