/** The pace that a body has to keep, so that nobody holds a connection open by sending next to nothing. */
interface Pace {
  readonly everyMs: number;
  readonly minBytes: number;
}

/** As much as a very bad mobile connection sends. A shorter body only has to be there in time. */
const PACE: Pace = { everyMs: 30_000, minBytes: 240 * 1024 };

/** The body came too slowly. Every way in answers it with `408`. */
export class BodyTooSlow extends Error {
  override name = 'BodyTooSlow';
  override message =
    `The request body came too slowly: less than ${PACE.minBytes / 1024} KB in ${PACE.everyMs / 1000} s.`;
}

/** Gives a reader of a body that gives up when the body falls behind the pace. */
export function keepingPace(
  body: ReadableStream<Uint8Array>,
  { everyMs, minBytes }: Pace = PACE,
): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> {
  const reader = body.getReader();
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  // Nobody may be reading when the time is over.
  tooSlow.catch(() => undefined);
  let arrived = 0;
  const look = () => {
    if (arrived < minBytes) return reject(new BodyTooSlow());
    arrived = 0;
    timer = setTimeout(look, everyMs);
  };
  // Timers do not notice when the clock is set.
  let timer = setTimeout(look, everyMs);
  const over = () => clearTimeout(timer);
  return {
    read: async () => {
      try {
        const piece = await Promise.race([reader.read(), tooSlow]);
        if (piece.done) over();
        else arrived += piece.value.byteLength;
        return piece;
      } catch (error) {
        over();
        throw error;
      }
    },
    cancel: (reason) => {
      over();
      return reader.cancel(reason);
    },
  };
}
