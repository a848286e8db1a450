import type { MiddlewareHandler } from 'hono';
import { isWithin } from '../core/clock.ts';

/** As many short requests as leave some ten megabytes behind. */
const EVERY = 500;
/** So many bytes of a request's body leave as much behind as a short request. */
const BYTES = 16_384;
/** What is on its way in large pieces leaves hundreds of megabytes behind sooner, so this is the longest time without a look. */
const EVERY_MS = 5_000;
/** Fewer requests in that time leave little behind. */
const LEAST = 20;

/** Taken from the runtime as soon as there is one: whoever calls it with options can write the whole heap to a file. */
const collect = globalThis.gc;
Reflect.deleteProperty(globalThis, 'gc');

let requests = 0;
let collectedAt = 0;

/**
 * Counts a request, and now and then frees what requests left behind. Most of that is not in V8's heap but held by it, so
 * V8 sees no need for a whole collection, which alone frees it. Only a runtime of ours offers one; elsewhere nothing
 * happens.
 */
export function freeNowAndThen({ headers }: Pick<Request, 'headers'>, now = Date.now()): void {
  if (!collect) return;
  requests += 1 + Math.floor((Number(headers.get('content-length')) || 0) / BYTES);
  if (requests < EVERY && (requests < LEAST || isWithin(EVERY_MS, collectedAt, now))) return;
  collect();
  requests = 0;
  collectedAt = now;
}

/** Counts the requests that get this far. It stands behind the doorstep, so that no page elsewhere can have memory freed. */
export const freeingMemory: MiddlewareHandler = (c, next) => {
  freeNowAndThen(c.req.raw);
  return next();
};
