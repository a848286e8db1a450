import type { MiddlewareHandler } from 'hono';

/** workerd itself reads up to 64 KiB of what a Worker left unread. Half of that needs no help of ours. */
const SMALL_BYTES = 32 * 1024;
/** More than any honest request leaves unread. */
const MAX_REST_BYTES = 32 * 1024 * 1024;
/** Each piece costs far more than a byte in it. */
const MAX_REST_PIECES = 16_384;
const MAX_REST_MS = 5_000;

/**
 * Reads the rest of a body that a handler left unread, within bounds, before the answer goes out. workerd breaks a
 * connection that still holds an unread body. The answer cannot announce that, so a client that keeps its connections
 * open would lose its next request.
 */
export function finishBodies(): MiddlewareHandler {
  return async (c, next) => {
    const sent = c.req.raw;
    const declared = sent.headers.get('content-length');
    if (!sent.body || (declared !== null && Number(declared) <= SMALL_BYTES)) return next();
    const rest = sent.body.getReader();
    let toReader: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          toReader = controller;
        },
        pull: async (controller) => {
          const { done, value } = await rest.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        // Nothing to do: a reader that wants no more leaves the rest to us.
        cancel: () => {},
      },
      { highWaterMark: 0 },
    );
    c.req.raw = new Request(sent, { body, signal: sent.signal });
    await next();
    // Somebody who still reads must not mistake a body without its end for a whole one.
    endWithError(toReader);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((done) => {
      timer = setTimeout(done, MAX_REST_MS);
    });
    await Promise.race([readRest(rest), over]);
    clearTimeout(timer);
    // What is left after that would go on to be read, and the gateway with it.
    void rest.cancel().catch(() => undefined);
    return undefined;
  };
}

async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let [bytes, pieces] = [0, 0]; bytes <= MAX_REST_BYTES && pieces < MAX_REST_PIECES; pieces++) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
  } catch {
    // The client left.
  }
}

function endWithError(controller: ReadableStreamDefaultController<Uint8Array> | undefined): void {
  try {
    controller?.error(new Error('This request is answered already.'));
  } catch {
    // It was read to its end.
  }
}
