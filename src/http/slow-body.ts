import { SharedTimer } from '../core/shared-timer.ts';

/** The pace that a body has to keep, so that nobody holds a connection open by sending next to nothing. */
interface Pace {
  readonly everyMs: number;
  readonly minBytes: number;
}

/** As much as a very bad mobile connection sends. A shorter body only has to be there in time. */
export const PACE: Pace = { everyMs: 30_000, minBytes: 240 * 1024 };

/** Pieces that any body may come in, however short they are. */
const FREE_PIECES = 4_096;
/** The bytes that each further piece has to bring on average. To read a piece costs far more than a byte in it. */
const BYTES_A_PIECE = 32;

/** The body came too slowly, or in too many pieces. Every way in answers it with `408`. */
export class BodyTooSlow extends Error {
  override name = 'BodyTooSlow';

  constructor(how = `less than ${PACE.minBytes / 1024} KB in ${PACE.everyMs / 1000} s`) {
    super(`The request body came too slowly: ${how}.`);
  }
}

/** Gives what is read from a short body, or gives the body up when it is not there in time. */
export async function inTime<T>(
  reading: Promise<T>,
  { everyMs }: Pace = PACE,
  timer = new SharedTimer(),
): Promise<T> {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const callOff = timer.after(everyMs, () => reject(new BodyTooSlow()));
  try {
    return await Promise.race([reading, tooSlow]);
  } finally {
    callOff();
  }
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
  let [pieces, bytes] = [0, 0];
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
        pieces += 1;
        bytes += piece.value?.byteLength ?? 0;
        if (pieces > FREE_PIECES + bytes / BYTES_A_PIECE) {
          await reader.cancel();
          throw new BodyTooSlow('in thousands of pieces of a few bytes');
        }
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
