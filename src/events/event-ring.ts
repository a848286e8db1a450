/** Events in order, and the place after the last of them. */
export interface Heard {
  readonly events: readonly string[];
  readonly place: string;
}

/** A listener further behind than this misses older events. */
const KEPT = 256;
/** A new listener also hears events as young as this, because its client believed the stream open a moment earlier. */
const LATELY_MS = 2_000;

/** The last events of one life of the object. */
export class EventRing {
  readonly #life: string;
  readonly #now: () => number;
  readonly #kept: { readonly event: string; readonly at: number }[] = [];
  #published = 0;

  constructor(life: string, now: () => number) {
    this.#life = life;
    this.#now = now;
  }

  publish(event: string): void {
    this.#kept.push({ event, at: this.#now() });
    this.#published += 1;
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** Gives what was published after a place, or lately if there is none yet. */
  since(after: string | null): Heard {
    const from = this.#countAt(after);
    const missed = Math.min(this.#published - from, this.#kept.length);
    return {
      events: this.#kept.slice(this.#kept.length - missed).map(({ event }) => event),
      place: `${this.#life}:${this.#published}`,
    };
  }

  /** Counts the events that were published up to a place. A place of an earlier life counts as none. */
  #countAt(place: string | null): number {
    if (place === null) {
      const lately = this.#now() - LATELY_MS;
      return this.#published - this.#kept.filter(({ at }) => at >= lately).length;
    }
    const [life, count] = place.split(':');
    const events = Number(count);
    const isOurs =
      life === this.#life && Number.isInteger(events) && events >= 0 && events <= this.#published;
    return isOurs ? events : 0;
  }
}
