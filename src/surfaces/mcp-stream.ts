import { SharedTimer } from '../core/shared-timer.ts';

/** After this time an unfinished answer is begun, so that nobody on the way takes the silence for a dead connection. */
export const BEGIN_MS = 1_000;
/**
 * The time between two signs of life. A connection that its client closed in order is noticed only when something is
 * written to it, and a call must end soon after its caller has left.
 */
const BEAT_MS = 500;
const ENCODER = new TextEncoder();
const BEAT = ENCODER.encode(': working\n\n');

/** Made once. To copy headers costs less than to read them from an object. */
export const SSE = new Headers({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
});

/** Writes a message as an event of a stream. */
export function eventOf(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

/** Answers with events that have all happened. The length says so, and nobody needs to watch over them as over a stream. */
export function wholeEvents(events: string): Response {
  const bytes = ENCODER.encode(events);
  const response = new Response(bytes, { headers: SSE });
  response.headers.set('content-length', String(bytes.byteLength));
  return response;
}

/** The part of a request that its long answer needs. */
export interface Exchange {
  /** Ends the call: its caller has left. */
  leave(): void;
  /** Called once the answer takes long. `isOver` says if it still does. */
  watch?(isOver: () => boolean): void;
  readonly asides?: Asides;
  /** The timer of the request. */
  readonly timer?: SharedTimer;
}

/** Events that go out between the parts of an answer. */
export class Asides {
  readonly #early: string[] = [];
  readonly #first = Promise.withResolvers<undefined>();
  #write: ((event: string) => void) | undefined;

  /** Resolves with the first event: the answer has to begin then. */
  get first(): Promise<undefined> {
    return this.#first.promise;
  }

  say(message: object): void {
    const event = eventOf(JSON.stringify(message));
    if (this.#write) this.#write(event);
    else this.#early.push(event);
    this.#first.resolve(undefined);
  }

  /** Writes all events with this, also those from before. */
  goTo(write: (event: string) => void): void {
    this.#write = write;
    for (const event of this.#early.splice(0)) write(event);
  }
}

/** Makes a stream that shows signs of life until its content has come, the first at once if there is nothing yet. */
export function living(
  content: Promise<string | ReadableStream<Uint8Array>> | ReadableStream<Uint8Array>,
  { leave, watch, asides }: Exchange,
): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval>;
  let isGone = false;
  let isOver = false;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream({
    start(controller) {
      const write = (bytes: Uint8Array) => {
        if (!isGone && !isOver) controller.enqueue(bytes);
      };
      if (content instanceof Promise) write(BEAT);
      asides?.goTo((event) => write(ENCODER.encode(event)));
      timer = setInterval(() => write(BEAT), BEAT_MS);
      const end = (finish: () => void) => {
        isOver = true;
        clearInterval(timer);
        if (!isGone) finish();
      };
      void pass(content, write, (opened) => {
        reader = opened;
        return !isGone;
      }).then(
        () => end(() => controller.close()),
        (error) => end(() => controller.error(error)),
      );
      watch?.(() => isOver || isGone);
    },
    cancel: async () => {
      isGone = true;
      clearInterval(timer);
      leave();
      await reader?.cancel();
    },
  });
}

/** Passes content on as it comes. `opens` takes the reader of a stream, and says if anybody still wants it. */
async function pass(
  content: Promise<string | ReadableStream<Uint8Array>> | ReadableStream<Uint8Array>,
  write: (bytes: Uint8Array) => void,
  opens: (reader: ReadableStreamDefaultReader<Uint8Array>) => boolean,
): Promise<void> {
  const came = await content;
  if (typeof came === 'string') return write(ENCODER.encode(came));
  const reader = came.getReader();
  if (!opens(reader)) return reader.cancel();
  for (let next = await reader.read(); !next.done; next = await reader.read()) write(next.value);
}

/** Waits for a promise, for at most some time, and only until another promise settles. */
export async function within<T>(
  ms: number,
  promise: Promise<T>,
  sooner: Promise<undefined> = new Promise(() => undefined),
  timer = new SharedTimer(),
): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const callOff = timer.after(ms, () => resolve(undefined));
  try {
    return await Promise.race([promise, over, sooner]);
  } finally {
    callOff();
  }
}

/** Gives an answer as it is if it comes soon and whole. Anything else becomes a stream that shows signs of life. */
export async function alive(answering: Promise<Response>, exchange: Exchange): Promise<Response> {
  const early = await within(BEGIN_MS, answering, exchange.asides?.first, exchange.timer);
  if (!early) return new Response(living(answering.then(contentOf), exchange), { headers: SSE });
  if (!early.body || !isEvents(early)) return early;
  return new Response(living(early.body, exchange), early);
}

async function contentOf(response: Response): Promise<string | ReadableStream<Uint8Array>> {
  if (response.body && isEvents(response)) return response.body;
  const text = await response.text();
  return text === '' ? '' : eventOf(text);
}

function isEvents({ headers }: Response): boolean {
  return /^text\/event-stream\b/.test(headers.get('content-type') ?? '');
}
