import type { CallEnding, Ending, RefusalCount } from './messages.ts';

/** How long an end may wait for a call to travel with. */
const WAIT_MS = 20;
/** How many travel at once: a message to an object holds 32 MB. */
const MAX_AT_ONCE = 250;

/**
 * Keeps the ends of calls back for a moment, so that under load they go to the gate with the next call
 * instead of making a journey each. Shared by the requests of an isolate, and so plain data only.
 */
export class EndQueue {
  readonly #flush: (endings: Ending[]) => Promise<void>;
  readonly #later: (work: Promise<unknown>) => void;
  readonly #waiting: Ending[] = [];

  constructor(flush: (endings: Ending[]) => Promise<void>, later: (work: Promise<unknown>) => void) {
    this.#flush = flush;
    this.#later = later;
  }

  add(ending: CallEnding): void {
    this.#wait(ending);
  }

  /** Adds a refusal that gets no row: however many come, what waits and travels stays small. */
  count(refusal: Omit<RefusalCount, 'count'>): void {
    const alike = this.#waiting.find(
      (one): one is RefusalCount =>
        'count' in one &&
        one.principal === refusal.principal &&
        one.tool === refusal.tool &&
        one.code === refusal.code,
    );
    if (alike) alike.count += 1;
    this.#wait(alike ?? { ...refusal, count: 1 });
  }

  #wait(ending: Ending): void {
    if (!this.#waiting.includes(ending)) this.#waiting.push(ending);
    // Each request sees to its own: the timer of another may be gone with it.
    this.#later(this.#sendUnlessTaken(ending));
  }

  /** Sends what waits along with a journey that is made anyway; if it fails, they wait for the next. */
  async travelWith<T>(journey: (endings: Ending[]) => Promise<T>): Promise<T> {
    const taken = this.#waiting.splice(0, MAX_AT_ONCE);
    try {
      return await journey(taken);
    } catch (error) {
      // A count that arrived although its answer was lost counts twice; nothing is decided by it.
      for (const ending of taken) if ('end' in ending) ending.again = true;
      this.#waiting.unshift(...taken);
      throw error;
    }
  }

  async #sendUnlessTaken(ending: Ending): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    if (this.#waiting.includes(ending)) await this.travelWith(this.#flush);
  }
}
