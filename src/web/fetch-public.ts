import { objectionTo } from './address.ts';
import { type BodyLimit, readBody } from './body.ts';
import { type FetchRefusal, refusalOf } from './fetch-errors.ts';
import { type AddressRule, type Fetch, nextAddress, redirectOf, refuseInside } from './guarded-fetch.ts';
import { inflated } from './inflate.ts';

export interface PageRequest extends BodyLimit {
  readonly url: string;
  /** The time for everything: all redirects, the headers and the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The types that the reader wants; any type if left out. */
  readonly accept?: string;
  /** Another limit for some types; the request's own if it gives none. */
  readonly limitFor?: (contentType: string) => BodyLimit | undefined;
  /** Finds the address that a page itself leads on to. It is followed like a redirect. */
  readonly leadsTo?: (page: Fetched) => string | undefined;
}

/** A server's answer, whatever its status: an error page is an answer too. */
export interface Fetched {
  readonly kind: 'fetched';
  readonly finalUrl: string;
  readonly status: number;
  readonly headers: Headers;
  /** The type as the server wrote it; empty if it wrote none. */
  readonly contentType: string;
  /** The body after decompression, never more than the limit. */
  readonly bytes: Uint8Array;
  /** True if the body was longer than the limit and was cut. */
  readonly truncated: boolean;
}

export interface FetchPorts {
  /**
   * Makes one request and follows no redirect. On a machine it also checks the addresses that a name resolves
   * to.
   */
  readonly fetch: Fetch;
  readonly rule?: AddressRule;
}

const USER_AGENT =
  'Mozilla/5.0 (compatible; Bowline/1.0; personal MCP gateway; reads single pages for its owner)';

/** Gets one page from the public web, with its redirects, within its limits. Failures come as data. */
export async function fetchPublic(
  request: PageRequest,
  { fetch, rule = objectionTo }: FetchPorts,
): Promise<Fetched | FetchRefusal> {
  const { timeoutMs, signal } = request;
  if (!URL.canParse(request.url)) {
    return { kind: 'refused', code: 'invalid_url', message: 'The address is not a URL.' };
  }
  const url = new URL(request.url);
  const stop = new AbortController();
  const late = new Error(`${url.origin} did not send the whole page within ${timeoutMs / 1000} s.`);
  const timer = setTimeout(() => stop.abort(late), timeoutMs);
  const leave = () => stop.abort(signal?.reason);
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    // A fetch that ignores its signal must not keep the caller waiting.
    return await Promise.race([
      follow(request, url, { fetch, rule, signal: stop.signal }),
      aborted(stop.signal),
    ]);
  } catch (error) {
    if (error === late) return { kind: 'refused', code: 'timeout', message: late.message };
    return refusalOf(error, url);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    // Close what is still open, for example after a refusal: nobody reads it any more.
    stop.abort();
  }
}

interface Following extends Required<FetchPorts> {
  readonly signal: AbortSignal;
}

async function follow(
  request: PageRequest,
  first: URL,
  { fetch, rule, signal }: Following,
): Promise<Fetched | FetchRefusal> {
  let url = first;
  refuseInside(url, rule);
  for (let hops = 0; ; hops++) {
    const headers = {
      'user-agent': USER_AGENT,
      accept: request.accept ?? '*/*',
      'accept-language': 'en;q=0.9, *;q=0.5',
    };
    const response = await fetch(url.href, { headers, redirect: 'manual', signal });
    const next = redirectOf(response, url, hops, rule);
    if (next) await response.body?.cancel();
    const page = next ? undefined : await taken(response, url, request);
    const place = page?.kind === 'fetched' ? request.leadsTo?.(page) : undefined;
    if (page && place === undefined) return page;
    url = next ?? nextAddress(place ?? '', url, hops, rule);
  }
}

async function taken(response: Response, url: URL, request: PageRequest): Promise<Fetched | FetchRefusal> {
  const contentType = response.headers.get('content-type') ?? '';
  const limit = request.limitFor?.(contentType) ?? request;
  const body = await inflated(await readBody(response, limit), response.headers, limit);
  if (body === 'too_large') {
    const message = `${url.origin} sent more than ${limit.maxBytes} bytes.`;
    return { kind: 'refused', code: 'too_large', message };
  }
  return {
    kind: 'fetched',
    // A fragment names a place inside the page, so it is not part of the page's address.
    finalUrl: url.href.replace(/#.*/s, ''),
    status: response.status,
    headers: response.headers,
    contentType,
    ...body,
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
