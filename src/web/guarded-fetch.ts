import { type Objection, objectionTo } from './address.ts';

export const MAX_REDIRECTS = 5;

/** A fetch that was refused before any connection was made. */
export class BlockedUrl extends Error {
  override name = 'BlockedUrl';
  /** `address` if the address is refused, `redirects` if there are too many of them. */
  readonly reason: 'address' | 'redirects';

  constructor(message: string, reason: BlockedUrl['reason'] = 'address') {
    super(message);
    this.reason = reason;
  }
}

export type Fetch = typeof globalThis.fetch;

/** Objects to an address. This is `objectionTo`, unless the owner's own settings open more. */
export type AddressRule = (url: URL) => Objection;

/** Wraps a fetch so that it goes to public addresses alone. It checks each redirect before it follows it. */
export function guardFetch(fetchAnything: Fetch): Fetch {
  return async (input: RequestInfo | URL, init?: RequestInit) => {
    let url = new URL(input instanceof Request ? input.url : input);
    refuseInside(url);
    const follows = (init?.redirect ?? (input instanceof Request ? input.redirect : 'follow')) === 'follow';
    // From here on the request holds everything. Passing `init` again would restore headers that a redirect
    // removed.
    let request = new Request(input, { ...init, redirect: 'manual' });
    const { method: _method, headers: _headers, body: _body, ...how } = init ?? {};
    for (let hops = 0; ; hops++) {
      const response = await fetchAnything(request);
      // Follow reads only: nobody means to post the same thing somewhere else.
      if (!follows || (request.method !== 'GET' && request.method !== 'HEAD')) return response;
      const next = redirectOf(response, url, hops);
      if (!next) return response;
      const { method, signal } = request;
      const headers = withoutSecrets(request.headers, url, next);
      request = new Request(next, { ...how, method, headers, signal, redirect: 'manual' });
      url = next;
    }
  };
}

/** Gives the address that an answer redirects to, if it does. Throws if that address is refused. */
export function redirectOf(
  response: Response,
  url: URL,
  hops: number,
  rule: AddressRule = objectionTo,
): URL | undefined {
  const location = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || location === null) return undefined;
  return nextAddress(location, url, hops, rule);
}

/** Gives the address that a page leads on to, however it does. Throws if that address is refused. */
export function nextAddress(location: string, url: URL, hops: number, rule: AddressRule): URL {
  if (hops >= MAX_REDIRECTS) {
    throw new BlockedUrl(`${url.origin} redirects more than ${MAX_REDIRECTS} times.`, 'redirects');
  }
  const next = new URL(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new BlockedUrl(`${url.origin} redirects from https to http.`);
  }
  refuseInside(next, rule);
  return next;
}

/** Throws if an address may not be fetched. */
export function refuseInside(url: URL, rule: AddressRule = objectionTo): void {
  const objection = rule(url);
  if (objection) throw new BlockedUrl(`${url.origin} is not fetched: ${objection}.`);
}

function withoutSecrets(headers: Headers, from: URL, to: URL): Headers {
  const kept = new Headers(headers);
  if (from.origin !== to.origin)
    for (const name of ['authorization', 'proxy-authorization', 'cookie']) kept.delete(name);
  return kept;
}
