import type { Child } from 'hono/jsx';

export interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Which step of letting an app in the page is, if it is one. */
  readonly step?: 'sign-in' | 'consent' | undefined;
  /** Whole seconds until it makes sense to try again. */
  readonly retryAfter?: number | undefined;
}

/** Answers with a page that can load nothing but ours and be framed by nobody. */
export async function page(
  content: Child,
  { status = 200, cookies = [], step, retryAfter }: PageOptions = {},
): Promise<Response> {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', ...securityHeaders(step) });
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(`<!doctype html>${await String(content)}`, { status, headers });
}

/** Sends the browser on, after a form. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

function securityHeaders(step: PageOptions['step']): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    // Chrome holds every redirect after a form to this, and consent ends in some nobody can list: `claude.ai`
    // goes on to `claude://`.
    ...(step === 'consent' ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // Not `no-referrer`: with that, browsers hide where a form of ours comes from, and forms are refused.
    'referrer-policy': 'same-origin',
    // An app may have opened this in a window and wait for it; cut off, it takes the window for closed.
    ...(step ? {} : { 'cross-origin-opener-policy': 'same-origin' }),
    'cache-control': 'no-store',
  };
}
