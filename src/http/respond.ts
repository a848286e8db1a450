import type { Child } from 'hono/jsx';

export interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** The page's step in letting an app in, if it is one. */
  readonly step?: 'sign-in' | 'consent' | undefined;
  /** Whole seconds until it makes sense to try again. */
  readonly retryAfter?: number | undefined;
}

/** Answers with a page. It can load only our own files, and nobody can frame it. */
export async function page(
  content: Child,
  { status = 200, cookies = [], step, retryAfter }: PageOptions = {},
): Promise<Response> {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', ...securityHeaders(step) });
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(`<!doctype html>${await String(content)}`, { status, headers });
}

/** Redirects the browser after a form. */
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
    // Chrome applies this to every redirect after a form. Consent ends in redirects that nobody can list:
    // `claude.ai` redirects to `claude://`.
    ...(step === 'consent' ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // Not `no-referrer`: browsers would then hide where our own form comes from, and the form would be
    // refused.
    'referrer-policy': 'same-origin',
    // An app may have opened this page in a window and wait for it. Without the opener, the app believes that
    // the window was closed.
    ...(step ? {} : { 'cross-origin-opener-policy': 'same-origin' }),
    'cache-control': 'no-store',
  };
}
