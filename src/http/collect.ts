/** As many requests as leave some ten megabytes behind. */
const EVERY = 500;

/** Taken from the runtime as soon as there is one: whoever calls it with options can write the whole heap to a file. */
const collect = globalThis.gc;
Reflect.deleteProperty(globalThis, 'gc');

let requests = 0;

/**
 * Counts a request, and now and then frees what requests left behind. Most of that is not in V8's heap but held by it, so
 * V8 sees no need for a whole collection, which alone frees it. Only a runtime of ours offers one; elsewhere nothing
 * happens.
 */
export function freeNowAndThen(): void {
  requests += 1;
  if (requests % EVERY === 0) collect?.();
}
