import { createHash } from 'node:crypto';
import { isWithin } from '../core/clock.ts';
import { grantOf } from './known-client.ts';

/** A request to the token endpoint, and its answer, as they travel to the object and back. */
export interface TokenRequest {
  readonly url: string;
  readonly headers: [string, string][];
  readonly body: string;
}
export interface TokenAnswer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: string;
}

interface Kept {
  readonly grant: string;
  readonly isRefresh: boolean;
  readonly answer: Promise<TokenAnswer>;
  readonly at: number;
}

/** The time for which the same request gets the same answer. */
const SAME_MS = 60_000;
const MAX_KEPT = 1_000;

/**
 * Passes requests for tokens to the library, one at a time for each grant. Gives the same answer to the same request for
 * a minute. Otherwise, of two refreshes at once, one would get a dead token, and a code that the network sent twice would
 * end its grant. The answers are kept only in memory.
 */
export class TokenFlight {
  readonly #kept = new Map<string, Kept>();
  readonly #last = new Map<string, Promise<unknown>>();

  answer(request: TokenRequest, ask: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
    const grant = grantIn(request);
    if (grant === undefined) return ask();
    const key = keyOf(request);
    const now = Date.now();
    const known = this.#kept.get(key);
    if (known && isWithin(SAME_MS, known.at, now)) return known.answer;
    for (const [other, { at }] of this.#kept) {
      if (isWithin(SAME_MS, at, now) && this.#kept.size < MAX_KEPT) break;
      this.#kept.delete(other);
    }
    const answer = this.#inTurn(grant, ask);
    const isRefresh = new URLSearchParams(request.body).has('refresh_token');
    const entry = { grant, isRefresh, answer, at: now };
    this.#kept.set(key, entry);
    const drop = () => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    };
    // Forget a failure: a client cannot use it, and the same request may succeed next time.
    answer.then(({ status }) => (status === 200 ? isRefresh && this.#dropEarlier(entry) : drop()), drop);
    return answer;
  }

  /** A refresh token is worth nothing any more once its replacement was used. */
  #dropEarlier(entry: Kept): void {
    for (const [key, one] of this.#kept) {
      if (one === entry) return;
      if (one.isRefresh && one.grant === entry.grant) this.#kept.delete(key);
    }
  }

  #inTurn<T>(grant: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(grant) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done.catch(() => undefined);
    this.#last.set(grant, settled);
    void settled.then(() => {
      if (this.#last.get(grant) === settled) this.#last.delete(grant);
    });
    return done;
  }
}

/** Names the grant of a code or refresh token. */
export function grantIn({ body }: Pick<TokenRequest, 'body'>): string | undefined {
  const form = new URLSearchParams(body);
  return grantOf(form.get('code') ?? form.get('refresh_token') ?? '');
}

/** Gives a name for everything that a request says and proves. Requests that differ in anything get different names. */
function keyOf({ headers, body }: TokenRequest): string {
  const authorization = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const said = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return createHash('sha256')
    .update(JSON.stringify([authorization, said]))
    .digest('base64url');
}
