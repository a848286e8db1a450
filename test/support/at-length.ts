/** The environment of the tests, in Node and in workerd alike: the variables that begin with `VITE_`. */
export const { env: ASKED } = import.meta as unknown as { env: Record<string, string | undefined> };

/**
 * Tells whether tests try all that they know, as `npm run proof` has them do. `npm test` tries fewer cases of what repeats
 * one attack or takes long, or shorter ones.
 */
export const AT_LENGTH = ASKED.VITE_AT_LENGTH === '1';
