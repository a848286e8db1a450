import type { CallCount, CallEnding, Ending } from './messages.ts';

/** The time that an end may wait for a call to travel with. */
const WAIT_MS = 20;
/** The most ends that travel at once, because a message to an object holds 32 MB. */
const MAX_AT_ONCE = 250;
/** The most ends that wait for a gate that takes none. */
const MAX_WAITING = 2_000;

/**
 * Holds the ends of calls for a moment, so that under load they travel to the gate with the next call and not
 * each alone. The requests of an isolate share it, so it holds only plain data.
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

  /** Adds a call that gets no row. However many come, the queue and its messages stay small. */
  count(call: Omit<CallCount, 'count'>): void {
    const alike = this.#waiting.find(
      (one): one is CallCount =>
        'count' in one &&
        one.principal === call.principal &&
        one.tool === call.tool &&
        one.code === call.code,
    );
    if (alike) alike.count += 1;
    this.#wait(alike ?? { ...call, count: 1 });
  }

  #wait(ending: Ending): void {
    if (!this.#waiting.includes(ending)) this.#waiting.push(ending);
    this.#dropOldest();
    // Each request sends its own ends, because the timer of another request may end with that request.
    this.#later(this.#sendUnlessTaken(ending));
  }

  /** Sends the waiting ends with a journey that happens anyway. If it fails, they wait for the next. */
  async travelWith<T>(journey: (endings: Ending[]) => Promise<T>): Promise<T> {
    const taken = this.#waiting.splice(0, MAX_AT_ONCE);
    try {
      return await journey(taken);
    } catch (error) {
      // A count that arrived although its answer was lost counts twice. Nothing depends on that number.
      for (const ending of taken) if ('end' in ending) ending.again = true;
      this.#waiting.unshift(...taken);
      this.#dropOldest();
      throw error;
    }
  }

  /** Ends of reads and refusals can do without a record, and the memory of an isolate cannot grow for ever. */
  #dropOldest(): void {
    const lost = this.#waiting.length - MAX_WAITING;
    if (lost <= 0) return;
    this.#waiting.splice(0, lost);
    this.#later(Promise.reject(new Error(`The ledger lost the ends of ${lost} reads or refusals.`)));
  }

  async #sendUnlessTaken(ending: Ending): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    if (this.#waiting.includes(ending)) await this.travelWith(this.#flush);
  }
}
