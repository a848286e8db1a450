/** The bytes that the sessions may print in a slice of time, all together. Cleaning more would slow every other call. */
const SLICE_BYTES = 131_072;
const SLICE_MS = 50;
/** One part of so many of the bridge's time goes into output, where a busy machine makes cleaning slow. */
const SHARE = 4;

/** Shares the bridge's time among the sessions. */
export interface Meter {
  /** Counts bytes and the time they took. Gives how long to wait before the next ones, in milliseconds. */
  spend(bytes: number, tookMs: number): number;
}

/** Opens a meter. A program that prints faster is slowed down, because its terminal stays full. */
export function openMeter(now: () => number = () => performance.now()): Meter {
  let until = 0;
  return {
    spend: (bytes, tookMs) => {
      until = Math.max(until, now()) + Math.max((bytes / SLICE_BYTES) * SLICE_MS, tookMs * SHARE);
      const wait = until - now();
      return wait > SLICE_MS ? wait : 0;
    },
  };
}
