/**
 * What "at once" or "within seconds" may take in a test, in milliseconds. A busy machine makes everything slow, so a
 * test only tells what is slow from what waits in vain: for a minute, or for ever.
 */
export const SOON_MS = 30_000;

/**
 * Gives what a test allows for a promise of so many milliseconds. On a busy machine everything takes longer; what breaks
 * the promise waits much longer still: for the next ping, for a hold to end, or for ever.
 */
export const promised = (ms: number): number => 3 * ms;
