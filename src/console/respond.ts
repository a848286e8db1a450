import type { Child } from 'hono/jsx';
import { MARK_PATH } from './layout.tsx';
import { passkeyScript } from './passkey-script.ts';
import { css } from './style.ts';

export interface PageOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** Origins besides our own that a form on this page may lead to. */
  readonly formsTo?: readonly string[];
}

/** Answers with a page that can load nothing but ours and be framed by nobody. */
export async function page(
  content: Child,
  { status = 200, cookies = [], formsTo = [] }: PageOptions = {},
): Promise<Response> {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', ...securityHeaders(formsTo) });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(`<!doctype html>${await String(content)}`, { status, headers });
}

/** Sends the browser on, after a form. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

function securityHeaders(formsTo: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    // Browsers hold redirects after a form to this too, and consent ends in one to the client.
    `form-action ${["'self'", ...formsTo].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // Not `no-referrer`: with that, browsers hide where a form of ours comes from, and forms are refused.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

const assets: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'console.css': ['text/css', css],
  'passkeys.js': ['text/javascript', passkeyScript],
  'mark.svg': [
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2a93a5" stroke-width="2.4" stroke-linecap="round"><path d="${MARK_PATH}"/></svg>`,
  ],
};

/** A style sheet, script or picture of ours. */
export function asset(name: string): Response | undefined {
  const found = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return (
    found &&
    new Response(found[1], {
      headers: {
        'content-type': `${found[0]}; charset=utf-8`,
        'cache-control': 'max-age=300',
        'x-content-type-options': 'nosniff',
      },
    })
  );
}
