/** The time. It is passed in, so that tests can set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The most that a stored time may lie in the future. Ordinary corrections of a clock are smaller. */
const DRIFT_MS = 60_000;

/** Gives the bounds of the last `ms`: a time in it is later than the first and no later than the second. */
export function lately(ms: number, now: number): readonly [after: number, upTo: number] {
  return [now - ms, now + Math.min(ms, DRIFT_MS)];
}

/** Gives the same bounds for the end of something that lasts `ms` and is not over yet. */
export function ends(ms: number, now: number): readonly [after: number, upTo: number] {
  const [after, upTo] = lately(ms, now);
  return [after + ms, upTo + ms];
}

/**
 * Tells if `at` is less than `ms` ago. A time in the future does not count: the clock was set back, and a minute would
 * last until that time came.
 */
export function isWithin(ms: number, at: number, now: number): boolean {
  const [after, upTo] = lately(ms, now);
  return at > after && at <= upTo;
}
