import type { MiddlewareHandler } from 'hono';
import { isWithin } from '../core/clock.ts';
import { doorFailure } from '../core/failure.ts';

const MINUTE = 60_000;
const MAX_ADDRESSES = 4_096;

/** Refusals allowed in a minute, for one address and for all together. */
interface RefusalLimits {
  readonly fromOne: number;
  readonly fromAll: number;
}

/** For requests without a credential. Refusing one costs only the answer. */
export const WITHOUT_CREDENTIAL: RefusalLimits = { fromOne: 120, fromAll: 6_000 };
/** For requests with a wrong credential. Finding out that it is wrong reads the store. */
export const WRONG_CREDENTIAL: RefusalLimits = { fromOne: 120, fromAll: 6_000 };

interface Count {
  count: number;
  since: number;
}

/**
 * Counts refused requests, by address and in total. It lives in the isolate's memory, because it only has to
 * make floods cheap; the gate keeps the exact limits.
 */
export class AddressLimit {
  readonly #limits: RefusalLimits;
  readonly #refusals = new Map<string, Count>();
  #all: Count = { count: 0, since: Number.NEGATIVE_INFINITY };

  constructor(limits: RefusalLimits) {
    this.#limits = limits;
  }

  /** Gives the seconds that an address has to wait; 0 if it may continue. */
  wait(address: string, now: number = Date.now()): number {
    const { fromOne, fromAll } = this.#limits;
    return Math.max(
      secondsLeft(this.#refusals.get(address), fromOne, now),
      secondsLeft(this.#all, fromAll, now),
    );
  }

  refused(address: string, now: number = Date.now()): void {
    this.#all = counted(this.#all, now);
    const entry = this.#refusals.get(address);
    if (!entry && this.#refusals.size >= MAX_ADDRESSES) {
      // Drop the entry that began longest ago: its minute ends first.
      this.#refusals.delete(this.#refusals.keys().next().value ?? '');
    }
    const next = counted(entry, now);
    if (next.count === 1) this.#refusals.delete(address);
    this.#refusals.set(address, next);
  }
}

function counted(entry: Count | undefined, now: number): Count {
  if (!entry || !isWithin(MINUTE, entry.since, now)) return { count: 1, since: now };
  return { count: entry.count + 1, since: entry.since };
}

function secondsLeft(entry: Count | undefined, limit: number, now: number): number {
  if (!entry || !isWithin(MINUTE, entry.since, now) || entry.count < limit) return 0;
  return Math.ceil((entry.since + MINUTE - now) / 1000);
}

/** Tells requests apart before anything is looked up. */
export interface Senders {
  /** Gives the address that a request counts for. Many addresses of one sender count as one. */
  addressOf(request: Request): string;
  /** Tells whether the request shows that its sender was let in before. */
  isKnown(request: Request): boolean;
  /** Tells whether the request carries anything that needs a look into a store. */
  hasCredential(request: Request): boolean;
}

/**
 * Turns floods away before anything is looked up. It never turns away somebody who was let in before, and the
 * owner's sign-in is open to everybody, so nobody can use up what the owner needs. Only refusals count; a
 * request turned away here does not make the wait longer.
 */
export function limitRefusals({ addressOf, isKnown, hasCredential }: Senders): MiddlewareHandler {
  const without = new AddressLimit(WITHOUT_CREDENTIAL);
  const wrong = new AddressLimit(WRONG_CREDENTIAL);
  return async (c, next) => {
    const request = c.req.raw;
    if (isKnown(request)) return next();
    const credential = hasCredential(request);
    if (!(credential ? !WAY_IN.test(c.req.path) : ANSWERS_STRANGERS.test(c.req.path))) return next();
    const limit = credential ? wrong : without;
    const address = addressOf(request);
    const wait = limit.wait(address);
    if (wait > 0) {
      const message = `Too many requests without a valid sign-in. Try again in ${wait} s.`;
      const failure = doorFailure('rate_limited', { message, retryAfter: wait });
      return Response.json(failure, { status: 429, headers: { 'retry-after': String(wait) } });
    }
    await next();
    if (isRefusal(c.res) || (!credential && isRefusedCall(c.req.path, c.res))) limit.refused(address);
    return undefined;
  };
}

/** The owner's sign-in and what its page loads. It is never closed, whatever cookie a request carries. */
const WAY_IN =
  /^\/(signin$|passkeys\/sign-in(\/|$)|api\/owner\/session$|assets\/|sw\.js$|healthz$|oauth\/|\.well-known\/)/;

/**
 * Paths that look into a store for callers without a credential. Everywhere else the missing credential
 * refuses the request, which costs no more than refusing it here.
 */
const ANSWERS_STRANGERS = /^\/(tools|hooks|host|api\/(?!owner\/))\b/;

/**
 * Recognises a stranger's call that failed, for whatever reason: for each, the gateway reads a body and asks the
 * gate.
 */
function isRefusedCall(path: string, { status }: Response): boolean {
  return status >= 400 && path.startsWith('/tools/');
}

/** Recognises a refusal. A page refuses by sending the browser to the sign-in. */
function isRefusal({ status, headers }: Response): boolean {
  return status === 401 || (status === 303 && /^\/signin\b/.test(headers.get('location') ?? ''));
}
