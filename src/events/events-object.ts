import { DurableObject } from 'cloudflare:workers';
import { EventRing, type Heard } from './event-ring.ts';
import { Mailbox } from './mailbox.ts';
import { NewsSockets } from './news-sockets.ts';

/**
 * The object through which isolates tell each other what changed, and through which a request reaches another one. It
 * stores nothing: an event only says "look again", and a message is of use only while a request waits for it. It sleeps
 * while nothing changes, however many listen.
 */
export class EventsObject extends DurableObject {
  readonly #ring = new EventRing(crypto.randomUUID(), Date.now);
  readonly #mailbox = new Mailbox();
  readonly #sockets = new NewsSockets(this.ctx);

  publish(...events: string[]): void {
    const { place } = this.#ring.since(null);
    for (const event of events) this.#ring.publish(event);
    this.#sockets.tell(JSON.stringify(this.#ring.since(place)));
  }

  /** Takes a listener, who first hears what came after a place. */
  override fetch(request: Request): Response {
    const after = new URL(request.url).searchParams.get('after');
    return this.#sockets.open(request, JSON.stringify(this.#ring.since(after)));
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000, 'left');
  }

  since(after: string | null): Heard {
    return this.#ring.since(after);
  }

  post(name: string, text: string): void {
    this.#mailbox.post(name, text);
  }

  tell(name: string, text: string): boolean {
    return this.#mailbox.tell(name, text);
  }

  take(name: string, ms: number): Promise<string | null> {
    return this.#mailbox.take(name, ms);
  }
}
