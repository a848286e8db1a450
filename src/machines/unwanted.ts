/** The most ids to remember. The oldest goes first: its call would have come long ago. */
const MAX_IDS = 1_024;

/**
 * The ids of calls that were cancelled. A call and the word that cancels it take different ways through the gateway, so the
 * word may come first.
 */
export class Unwanted {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_IDS && oldest !== undefined) this.#ids.delete(oldest);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
