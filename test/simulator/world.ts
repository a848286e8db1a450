/** What the simulated machine and gateway both live in: one clock, one order of events, one source of chance. */
export class World {
  now = 1_700_000_000_000;
  /** While true, things go wrong. */
  isStormy = true;
  readonly trace: string[] = [];
  readonly #queue: { readonly at: number; readonly order: number; readonly act: () => void }[] = [];
  #order = 0;
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 0x9e3779b1) >>> 0;
  }

  /** From 0 to 1. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  /** Whether bad luck of that probability strikes; never after the storm. */
  strikes(probability: number): boolean {
    return this.random() < probability && this.isStormy;
  }

  note(what: string): void {
    this.trace.push(`${this.now - 1_700_000_000_000} ${what}`);
  }

  at(ms: number, act: () => void): () => void {
    const event = { at: this.now + Math.max(0, Math.floor(ms)), order: this.#order++, act };
    this.#push(event);
    let isOff = false;
    const guarded = event.act;
    event.act = () => {
      if (!isOff) guarded();
    };
    return () => {
      isOff = true;
    };
  }

  /** Lives until then, or until nothing is left to happen. */
  runUntil(ms: number): void {
    for (let next = this.#queue[0]; next && next.at <= ms; next = this.#queue[0]) {
      this.#pop();
      this.now = Math.max(this.now, next.at);
      next.act();
    }
    this.now = Math.max(this.now, ms);
  }

  #push(event: { at: number; order: number; act: () => void }): void {
    const queue = this.#queue;
    let i = queue.push(event) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#isBefore(i, parent)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #pop(): void {
    const queue = this.#queue;
    const last = queue.pop();
    if (!last || queue.length === 0) return;
    queue[0] = last;
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < queue.length && this.#isBefore(left, least)) least = left;
      if (right < queue.length && this.#isBefore(right, least)) least = right;
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #isBefore(i: number, j: number): boolean {
    const [a, b] = [this.#queue[i], this.#queue[j]];
    if (!a || !b) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(i: number, j: number): void {
    const [a, b] = [this.#queue[i], this.#queue[j]];
    if (!a || !b) return;
    this.#queue[i] = b;
    this.#queue[j] = a;
  }
}
