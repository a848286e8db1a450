/**
 * What "at once" or "within seconds" may take in a test, in milliseconds. A busy machine makes everything slow, so a
 * test only tells what is slow from what waits in vain: for a minute, or for ever.
 */
export const SOON_MS = 30_000;
