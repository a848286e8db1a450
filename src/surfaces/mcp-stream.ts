/** After this time an unfinished answer is begun, so that nobody on the way takes the silence for a dead connection. */
export const BEGIN_MS = 1_000;
/**
 * The time between two signs of life. A connection that its client closed in order is noticed only when something is
 * written to it, and a call must end soon after its caller has left.
 */
const BEAT_MS = 500;
const BEAT = new TextEncoder().encode(': working\n\n');

export const SSE = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Writes a message as an event of a stream. */
export function eventOf(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

/** What a long answer needs from the request that it belongs to. */
export interface Exchange {
  /** Ends the call: its caller has left. */
  leave(): void;
  /** Called once the answer takes long. `isOver` says if it still does. */
  watch?(isOver: () => boolean): void;
}

/** Makes a stream that shows signs of life until its content has come, the first at once if there is nothing yet. */
export function living(
  content: Promise<string | ReadableStream<Uint8Array>> | ReadableStream<Uint8Array>,
  { leave, watch }: Exchange,
): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval>;
  let isGone = false;
  let isOver = false;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream({
    start(controller) {
      const write = (bytes: Uint8Array) => {
        if (!isGone) controller.enqueue(bytes);
      };
      if (content instanceof Promise) write(BEAT);
      timer = setInterval(() => write(BEAT), BEAT_MS);
      void pass(content, write, (opened) => {
        reader = opened;
        return !isGone;
      })
        .then(
          () => !isGone && controller.close(),
          (error) => !isGone && controller.error(error),
        )
        .finally(() => {
          isOver = true;
          clearInterval(timer);
        });
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
  if (typeof came === 'string') return write(new TextEncoder().encode(came));
  const reader = came.getReader();
  if (!opens(reader)) return reader.cancel();
  for (let next = await reader.read(); !next.done; next = await reader.read()) write(next.value);
}

/** Waits for a promise, but not longer than this. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Gives an answer as it is if it comes soon and whole. Anything else becomes a stream that shows signs of life. */
export async function alive(answering: Promise<Response>, exchange: Exchange): Promise<Response> {
  const early = await within(BEGIN_MS, answering);
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
