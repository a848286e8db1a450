import { isWithin } from '../core/clock.ts';

/** A message that nobody fetched is dropped after this time. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

interface Kept {
  readonly text: string;
  readonly at: number;
}

/**
 * Passes a message from one request to another one that waits for it, perhaps in another isolate. It keeps a message for
 * a while, because the other request may not wait yet.
 */
export class Mailbox {
  readonly #kept = new Map<string, Kept>();
  readonly #takers = new Map<string, Set<(text: string) => void>>();

  post(name: string, text: string): void {
    const taker = [...(this.#takers.get(name) ?? [])].at(-1);
    if (taker) {
      taker(text);
      return;
    }
    const now = Date.now();
    for (const [other, { at }] of this.#kept) {
      if (isWithin(KEPT_MS, at, now) && this.#kept.size < MAX_KEPT) break;
      this.#kept.delete(other);
    }
    this.#kept.set(name, { text, at: now });
  }

  /** Gives a message to the one request that waits for that name. Tells if there was one, and only one. */
  tell(name: string, text: string): boolean {
    const takers = this.#takers.get(name);
    if (takers?.size !== 1) return false;
    for (const taker of takers) taker(text);
    return true;
  }

  /** Gives the message of that name, once. Waits a while for it, and then gives `null`. */
  async take(name: string, ms: number): Promise<string | null> {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    if (kept && isWithin(KEPT_MS, kept.at, Date.now())) return kept.text;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => resolve(null), ms);
    const takers = this.#takers.get(name) ?? new Set();
    this.#takers.set(name, takers.add(resolve));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      takers.delete(resolve);
      if (takers.size === 0 && this.#takers.get(name) === takers) this.#takers.delete(name);
    }
  }
}
