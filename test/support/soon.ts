/**
 * What "at once" or "within seconds" may take in a test, in milliseconds. A busy machine makes everything slow, so a
 * test only tells what is slow from what waits in vain: for a minute, or for ever.
 */
export const SOON_MS = 30_000;

/** Set by a run of all tests side by side, which take the processor from each other. */
const IS_BUSY = process.env.TESTS_SIDE_BY_SIDE === '1';

/**
 * Gives what a test allows for a promise of so many milliseconds: just that, and three times as much where all tests run
 * side by side. What breaks the promise waits longer still: for the next ping, for a hold to end, or for ever.
 */
export const promised = (ms: number): number => (IS_BUSY ? 3 * ms : ms);
