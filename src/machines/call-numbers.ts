import type { LinkSocket } from './link-ports.ts';

/** The numbers of a millisecond: more than the calls that one could send in it. */
const OF_A_MS = 1_024;
/** A connection remembers a number that is so far ahead, so that it need not be told of each. */
const AHEAD = 10_000 * OF_A_MS;

/**
 * The numbers of calls on a machine's connection. They follow the clock and rise while the object sleeps, also if somebody
 * sets the clock back: a machine ignores a number that is not above the last one, since such a call was sent before.
 */
export class CallNumbers {
  #last: number;

  constructor(sockets: readonly Pick<LinkSocket, 'numbered'>[]) {
    this.#last = Math.max(0, ...sockets.map(({ numbered }) => numbered));
  }

  next(socket: Pick<LinkSocket, 'numbered' | 'number'> | undefined, now: number): number {
    this.#last = Math.max(this.#last + 1, now * OF_A_MS);
    if (socket && this.#last > socket.numbered) socket.number(this.#last + AHEAD);
    return this.#last;
  }
}
