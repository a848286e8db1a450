import { createHash } from 'node:crypto';
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
  readonly until: number;
}

/** The time for which the same request gets the same answer. */
const SAME_MS = 60_000;
const MAX_KEPT = 1_000;

/**
 * Gives requests for tokens to the library one after the other for each grant, and the same request the same answer for a
 * minute. Without this, two refreshes at once leave one of the two with a dead token, and a code that the network sent twice
 * ends its grant. The answers are kept in memory alone.
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
    if (known && known.until > now) return known.answer;
    for (const [other, { until }] of this.#kept) {
      if (until > now && this.#kept.size < MAX_KEPT) break;
      this.#kept.delete(other);
    }
    const answer = this.#inTurn(grant, ask);
    const isRefresh = new URLSearchParams(request.body).has('refresh_token');
    const entry = { grant, isRefresh, answer, until: now + SAME_MS };
    this.#kept.set(key, entry);
    const drop = () => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    };
    // A failure is no answer that a client can go on with, so the next request may have better luck.
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

/** Names everything that a request says and proves: one that differs in anything is another one. */
function keyOf({ headers, body }: TokenRequest): string {
  const authorization = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const said = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return createHash('sha256')
    .update(JSON.stringify([authorization, said]))
    .digest('base64url');
}
