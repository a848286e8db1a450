import { DurableObject } from 'cloudflare:workers';
import { EventRing, type Heard } from './event-ring.ts';

/**
 * The object through which isolates tell each other what changed. It stores nothing, because an event only says "look
 * again".
 */
export class EventsObject extends DurableObject {
  readonly #ring = new EventRing(crypto.randomUUID(), Date.now);

  publish(...events: string[]): void {
    for (const event of events) this.#ring.publish(event);
  }

  next(after: string | null, waitMs: number): Promise<Heard> {
    return this.#ring.next(after, waitMs);
  }
}
