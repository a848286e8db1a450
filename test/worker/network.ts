import type { Fetch } from '../../src/web/guarded-fetch.ts';

// The gateway puts its guard around the fetch that is there when it starts. So this comes before it.
const real: Fetch = globalThis.fetch;
let network = real;
globalThis.fetch = (input, init) => network(input, init);

/** Replaces the network beneath the gateway's guard. Each test file begins with the real one. */
export function replaceNetwork(other: Fetch = real): void {
  network = other;
}
