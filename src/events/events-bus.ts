import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Heard } from './event-ring.ts';
import type { NewsLine } from './news-line.ts';

interface BusPorts {
  publish(event: string): Promise<void>;
  /** Listens for events after a place: JSON of what was heard, again and again. */
  listen(after: string | null): Promise<NewsLine>;
  /** Lets work continue after the answer has left. */
  later(work: Promise<unknown>): void;
  report(error: unknown, where: string): void;
}

/** The pause after the object failed or was replaced, before the next question. */
const PAUSE_MS = 1_000;

/**
 * Makes the bus that carries list changes and resource updates between isolates. One request may not write to
 * another's stream, so every listener has a line to the object in its own request.
 */
export function eventsBus({ publish, listen, later, report }: BusPorts): ServerEventBus {
  return {
    publish: (event) => later(publish(JSON.stringify(event)).catch((error) => report(error, 'events'))),
    subscribe(listener) {
      let line: NewsLine | undefined;
      let isOpen = true;
      const hear = async () => {
        for (let place: string | null = null; isOpen; ) {
          try {
            line = await listen(place);
            if (!isOpen) line.close();
            place = await pass(line, place, (event) => isOpen && listener(event));
          } catch (error) {
            report(error, 'events');
          }
          if (isOpen) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      };
      void hear();
      return () => {
        isOpen = false;
        line?.close();
      };
    },
  };
}

/** Passes events on until the line breaks. Gives the place after the last of them. */
async function pass(
  line: NewsLine,
  from: string | null,
  listener: (event: ServerEvent) => void,
): Promise<string | null> {
  let place = from;
  for (let text = await line.next(); text !== undefined; text = await line.next()) {
    // The same version of `publish` wrote these, or another one that knows the same kinds.
    const heard = JSON.parse(text) as Heard;
    place = heard.place;
    for (const event of heard.events) listener(JSON.parse(event) as ServerEvent);
  }
  return place;
}
