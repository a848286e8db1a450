/** Names by which every page and the script that runs on it find the same things, and how patient that script is. */

/** The id of the part of the page that holds its content. */
export const MAIN = 'main';

/** The id of the element that tells screen readers of calls that have begun to wait. */
export const NEWS = 'news';

/** Marks a part with an id that the script replaces when the gate learns something. */
export const LIVE = 'data-live';

/** Marks a time of which the script says how long ago, or how far ahead, it is. */
export const AGO = 'data-ago';

/** Marks a time until which the script counts down. */
export const LEFT = 'data-left';

/** Marks a field whose time is in UTC, which the script shows as the owner's clock does. */
export const UTC = 'data-utc';

/** Marks the words that name the zone of such a field. */
export const ZONE = 'data-zone';

/** Holds the text that a button copies. */
export const COPY = 'data-copy';

/** Holds the letter that leads to a page after `g`. */
export const KEY = 'data-key';

/** Marks the button that switches the keys off and on. */
export const KEY_SWITCH = 'data-key-switch';

/** Marks what the script folds on a small screen, unless it is in use. */
export const FOLD = 'data-fold';

/** Marks where the number of waiting calls stands. */
export const WAITING = 'data-waiting';

/** Gives the id of the text about what is wrong with a field. */
export const problemId = (field: string) => `problem-${field}`;

/** The answer of `/live`. */
export interface News {
  /** The state that the answer is about. Ask for what comes after it. */
  readonly at: number;
  /** The number of calls that wait for the owner. */
  readonly waiting: number;
}

const SHORTEST_WAIT_S = 20;
/** The longest wait of a page that nobody touches. */
export const LONGEST_WAIT_S = 3_600;

/**
 * Gives how many seconds a page waits for news before it asks again. One that nobody touches waits as long as nobody has
 * touched it, so that an open page costs little.
 */
export function waitOf(secondsUntouched: number): number {
  return Math.min(Math.max(SHORTEST_WAIT_S, secondsUntouched), LONGEST_WAIT_S);
}

/** Tells whether a wait is so long that somebody who comes back ends it. */
export function isLong(seconds: number): boolean {
  return seconds > SHORTEST_WAIT_S;
}
