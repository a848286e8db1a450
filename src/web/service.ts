import { readBody } from './body.ts';
import type { Fetch } from './guarded-fetch.ts';

/** A request to a service whose address the owner has set. No model ever chooses the address. */
interface ServiceRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  /** The bearer token. */
  readonly key?: string | undefined;
  readonly json?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type ServiceAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly kind: 'silent'; readonly why: 'timeout' | 'unreachable' | 'too_large' };

const MAX_ANSWER_BYTES = 4_000_000;

/** Asks a service of the owner's once. It follows no redirect, because the key would go along. */
export async function askService(
  { url, method = 'POST', key, json, timeoutMs, signal }: ServiceRequest,
  fetch: Fetch,
): Promise<ServiceAnswer> {
  const stop = new AbortController();
  const late = Promise.withResolvers<ServiceAnswer>();
  const timer = setTimeout(() => late.resolve({ kind: 'silent', why: 'timeout' }), timeoutMs);
  const leave = () => late.resolve({ kind: 'silent', why: 'unreachable' });
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const headers = {
      accept: 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const init = { method, headers, ...body, redirect: 'manual', signal: stop.signal } as const;
    return await Promise.race([exchange(url, init, fetch), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    stop.abort();
  }
}

async function exchange(url: URL, init: RequestInit, fetch: Fetch): Promise<ServiceAnswer> {
  try {
    const response = await fetch(url.href, init);
    const body = await readBody(response, { maxBytes: MAX_ANSWER_BYTES });
    if (body === 'too_large') return { kind: 'silent', why: 'too_large' };
    const text = new TextDecoder().decode(body.bytes);
    return { kind: 'answered', status: response.status, headers: response.headers, text };
  } catch {
    // Refused, reset or unresolved: for the caller, nobody answered.
    return { kind: 'silent', why: 'unreachable' };
  }
}

/** Builds an address below a base. People write the base with or without a slash at its end. */
export function below(base: string, path: string): URL | undefined {
  if (!URL.canParse(base)) return undefined;
  const url = new URL(base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  return url;
}

/** Gives the whole seconds that a `Retry-After` header asks for, in either of its two forms. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d{1,6}(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value));
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000));
}

/** Parses JSON; `undefined` for anything else, such as an HTML error page. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
