import type { MiddlewareHandler } from 'hono';
import { doorFailure } from '../core/failure.ts';

/** How many requests without a valid sign-in an address may send in a minute. */
const REFUSALS_A_MINUTE = 120;
const MINUTE = 60_000;
const MAX_ADDRESSES = 4_096;

/**
 * Stands before authentication: an address that keeps sending what is not let in is turned away without
 * a look at its tokens, which would cost a read of the store each. Kept in the isolate, because it only
 * has to make floods cheap; the exact limits are the gate's.
 */
export class AddressLimit {
  readonly #refusals = new Map<string, { count: number; since: number }>();

  /** Seconds an address has to wait; 0 if it may go on. */
  wait(address: string, now: number = Date.now()): number {
    const entry = this.#refusals.get(address);
    if (!entry || now - entry.since >= MINUTE || entry.count < REFUSALS_A_MINUTE) return 0;
    return Math.ceil((entry.since + MINUTE - now) / 1000);
  }

  refused(address: string, now: number = Date.now()): void {
    const entry = this.#refusals.get(address);
    if (entry && now - entry.since < MINUTE) {
      entry.count += 1;
      return;
    }
    if (this.#refusals.size >= MAX_ADDRESSES) this.#refusals.clear();
    this.#refusals.set(address, { count: 1, since: now });
  }
}

/**
 * Turns away addresses that were refused too often in the last minute, before anything is looked up.
 * Apps share addresses, so a stranger's flood must not shut out whoever was let in a while ago.
 */
export function limitRefusals(
  limit: AddressLimit,
  addressOf: (request: Request) => string,
  isKnown: (request: Request) => boolean,
): MiddlewareHandler {
  return async (c, next) => {
    const address = addressOf(c.req.raw);
    const wait = limit.wait(address);
    if (wait > 0 && !isKnown(c.req.raw)) {
      const message = `Too many requests from this address without a valid sign-in. Try again in ${wait} s.`;
      const failure = doorFailure('rate_limited', { message, retryAfter: wait });
      return Response.json(failure, { status: 429, headers: { 'retry-after': String(wait) } });
    }
    await next();
    if (c.res.status === 401 || c.res.status === 429) limit.refused(address);
    return undefined;
  };
}
