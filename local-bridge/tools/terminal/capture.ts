/** The most of a command's output that is kept, both streams together. */
export const KEPT_BYTES = 1_048_576;

/** The kept parts of a stream: its beginning, its end, and the number of bytes missing between them. */
export interface Captured {
  readonly head: Buffer;
  /** Empty if nothing is missing. */
  readonly tail: Buffer;
  readonly missing: number;
  readonly lines: number;
}

/** Keeps the beginning and the end of a stream in bounded memory, however much flows through. */
interface Capture {
  take(chunk: Buffer): void;
  done(): Captured;
}

/** Opens a capture. Half of `limit` goes to the head, half to the tail. */
export function openCapture(limit = KEPT_BYTES): Capture {
  const headLimit = Math.ceil(limit / 2);
  const tailLimit = limit - headLimit;
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let inHead = 0;
  let inTail = 0;
  let total = 0;
  let newlines = 0;
  let last = NEWLINE;

  const takeTail = (chunk: Buffer) => {
    tail.push(chunk);
    inTail += chunk.length;
    for (let first = tail[0]; first && inTail - first.length >= tailLimit; first = tail[0]) {
      tail.shift();
      inTail -= first.length;
    }
  };
  return {
    take: (chunk) => {
      if (chunk.length === 0) return;
      total += chunk.length;
      newlines += countNewlines(chunk);
      last = chunk[chunk.length - 1] ?? last;
      const room = headLimit - inHead;
      // Copy the bytes: a slice would keep alive the whole buffer that they were read into.
      if (room > 0) head.push(Buffer.from(chunk.subarray(0, room)));
      inHead += Math.min(Math.max(room, 0), chunk.length);
      if (chunk.length > room) takeTail(chunk.subarray(Math.max(room, 0)));
    },
    done: () => {
      const end = Buffer.concat(tail);
      const kept = end.subarray(Math.max(0, end.length - tailLimit));
      const missing = total - inHead - kept.length;
      const lines = newlines + (last === NEWLINE ? 0 : 1);
      const whole = Buffer.concat(missing === 0 ? [...head, kept] : head);
      return { head: whole, tail: missing === 0 ? Buffer.alloc(0) : kept, missing, lines };
    },
  };
}

/** Fits both streams within `limit`. Standard error gets what it needs, up to a quarter. */
export function fitTogether(
  out: Captured,
  err: Captured,
  limit = KEPT_BYTES,
): { readonly out: Captured; readonly err: Captured } {
  if (sizeOf(out) + sizeOf(err) <= limit) return { out, err };
  const forErr = Math.max(Math.floor(limit / 4), limit - sizeOf(out));
  const fittedErr = shorten(err, forErr);
  return { out: shorten(out, limit - sizeOf(fittedErr)), err: fittedErr };
}

/** Gives the same stream with at most `limit` bytes. */
export function shorten(captured: Captured, limit: number): Captured {
  const size = sizeOf(captured);
  if (size <= limit) return captured;
  const headLimit = Math.ceil(limit / 2);
  const tailLimit = limit - headLimit;
  const { head, tail, missing, lines } = captured;
  const end = missing === 0 ? head : tail;
  const newHead = head.subarray(0, headLimit);
  const newTail = end.subarray(Math.max(0, end.length - tailLimit));
  return {
    head: newHead,
    tail: newTail,
    missing: size + missing - newHead.length - newTail.length,
    lines,
  };
}

function sizeOf({ head, tail }: Captured): number {
  return head.length + tail.length;
}

const NEWLINE = 0x0a;

function countNewlines(chunk: Buffer): number {
  let count = 0;
  for (const byte of chunk) if (byte === NEWLINE) count += 1;
  return count;
}
