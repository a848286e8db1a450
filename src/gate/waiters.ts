import { isWithin } from '../core/clock.ts';

/** More than the time that a held call takes from one beat to the next. */
const BETWEEN_BEATS_MS = 3_000;
const MAX_HELD = 1_000;

/** The callers that are held under a name, each with the end of its last wait; `undefined` while it waits. */
type Held = Map<string, number | undefined>;

/** Callers that wait for something to happen under a name, for as long as this object stays awake. */
export class Waiters {
  readonly #woken: (name: string) => void;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #held = new Map<string, Held>();
  /** Rises with every wake, so that a feed can tell if it missed one. */
  count = Date.now();

  /** `woken` hears every name that is woken. */
  constructor(woken: (name: string) => void = () => undefined) {
    this.#woken = woken;
  }

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

  /** Waits like `wait`, for a held caller who will wait for that name again soon. */
  async waitAgain(name: string, ms: number, who: string): Promise<void> {
    const held: Held = this.#held.get(name) ?? new Map();
    if (this.#held.size >= MAX_HELD) this.#forgetOver();
    this.#held.set(name, held.set(who, undefined));
    await this.wait(name, ms);
    // Keep it from counting as gone between two waits, unless it left meanwhile.
    if (held.has(who)) held.set(who, Date.now());
  }

  /** Notes that a held caller has left. */
  leave(name: string, who: string): void {
    this.#held.get(name)?.delete(who);
  }

  /** Tells if a caller is held under that name. */
  has(name: string): boolean {
    const held = this.#held.get(name) ?? new Map();
    const now = Date.now();
    return [...held.values()].some((at) => at === undefined || isWithin(BETWEEN_BEATS_MS, at, now));
  }

  #forgetOver(): void {
    for (const name of this.#held.keys()) if (!this.has(name)) this.#held.delete(name);
  }

  wake(name: string): void {
    this.count += 1;
    for (const end of [...(this.#waiting.get(name) ?? [])]) end();
    this.#woken(name);
  }
}
