import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { EventsObject } from './events-object.ts';

interface BusPorts {
  stub(): Pick<DurableObjectStub<EventsObject>, 'publish' | 'next'>;
  /** Lets work continue after the answer has left. */
  later(work: Promise<unknown>): void;
  report(error: unknown, where: string): void;
}

const WAIT_MS = 25_000;
/** The pause after the object failed, before the next question. */
const PAUSE_MS = 1_000;

/**
 * Makes the bus that carries list changes and resource updates between isolates. One request may not write to
 * another's stream, so every listener asks the object in its own request.
 */
export function eventsBus({ stub, later, report }: BusPorts): ServerEventBus {
  return {
    publish: (event) =>
      later(
        Promise.resolve(stub().publish(JSON.stringify(event))).catch((error: unknown) =>
          report(error, 'events'),
        ),
      ),
    subscribe(listener) {
      let isOpen = true;
      void listen(stub, listener, () => isOpen, report);
      return () => {
        isOpen = false;
      };
    },
  };
}

async function listen(
  stub: BusPorts['stub'],
  listener: (event: ServerEvent) => void,
  isOpen: () => boolean,
  report: BusPorts['report'],
): Promise<void> {
  let place: string | null = null;
  while (isOpen()) {
    try {
      const heard: Awaited<ReturnType<EventsObject['next']>> = await stub().next(place, WAIT_MS);
      place = heard.place;
      // The same version of `publish` wrote these, or another one that knows the same kinds.
      for (const event of heard.events) if (isOpen()) listener(JSON.parse(event) as ServerEvent);
    } catch (error) {
      report(error, 'events');
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
