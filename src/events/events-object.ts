import { DurableObject } from 'cloudflare:workers';
import { EventRing, type Heard } from './event-ring.ts';
import { Mailbox } from './mailbox.ts';

/**
 * The object through which isolates tell each other what changed, and through which a request reaches another one. It
 * stores nothing: an event only says "look again", and a message is of use only while a request waits for it.
 */
export class EventsObject extends DurableObject {
  readonly #ring = new EventRing(crypto.randomUUID(), Date.now);
  readonly #mailbox = new Mailbox();

  publish(...events: string[]): void {
    for (const event of events) this.#ring.publish(event);
  }

  next(after: string | null, waitMs: number): Promise<Heard> {
    return this.#ring.next(after, waitMs);
  }

  post(name: string, text: string): void {
    this.#mailbox.post(name, text);
  }

  take(name: string, ms: number): Promise<string | null> {
    return this.#mailbox.take(name, ms);
  }
}
