import { readBody } from '../http/body.ts';
import { FORM_COOKIE, readCookie } from './cookies.ts';
import type { OwnerStub } from './owner-stub.ts';
import { csrfTokenFor, newSecret, sameHash } from './secrets.ts';
import { sessionSecretIn } from './session-cookie.ts';
import type { Session } from './sessions.ts';

/** Far more than any form of ours holds. */
const MAX_FORM_BYTES = 64 * 1024;

/** A request from the owner's own browser or command line with a valid session. */
export interface OwnerVisit {
  readonly session: Session;
  readonly secret: string;
  /** The token in this session's forms. */
  readonly csrf: string;
}

/** Finds the owner's session behind a request. A bearer token opens nothing here, whatever its scopes. */
export async function ownerVisit(request: Request, owner: OwnerStub): Promise<OwnerVisit | undefined> {
  const secret = sessionSecretIn(request);
  if (secret === undefined) return undefined;
  const session = await owner.session(secret);
  return session ? visitOf({ session, secret }) : undefined;
}

export function visitOf({ session, secret }: Pick<OwnerVisit, 'session' | 'secret'>): OwnerVisit {
  return { session, secret, csrf: csrfTokenFor(secret) };
}

/** Makes a cookie that ties a form to a browser before sign-in, and the token to put into the form. */
export function formTicket(request: Request): { cookie: string; csrf: string } {
  const cookie = readCookie(request, FORM_COOKIE) ?? newSecret('bwl_sess');
  return { cookie, csrf: csrfTokenFor(cookie) };
}

/** Reads a form of ours. Anything else reads as an empty form, which then fails because it has no ticket. */
export async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return new URLSearchParams();
  return new URLSearchParams(await readBody(request, MAX_FORM_BYTES).catch(() => ''));
}

/** Tells whether a form was filled in on our page, in the browser that received the page. */
export function isOwnForm(
  request: Request,
  origin: string,
  cookie: string | undefined,
  csrf: unknown,
): boolean {
  return (
    fromOwnPage(request, origin) &&
    cookie !== undefined &&
    typeof csrf === 'string' &&
    sameHash(csrf, csrfTokenFor(cookie))
  );
}

/**
 * Tells whether a POST came from our own page. Browsers say where it came from; a command line has no page
 * and says nothing.
 */
export function fromOwnPage(request: Request, origin: string): boolean {
  const from = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  return (from === null || from === origin) && (site === null || site === 'same-origin' || site === 'none');
}

/**
 * Gives the path to return to after signing in, if it is one of this gateway. Anything else would send the
 * owner away.
 */
export function safeReturn(path: unknown, origin: string): string {
  if (typeof path !== 'string' || !path.startsWith('/') || /[\\\p{Cc}]/u.test(path)) return '/';
  const url = URL.canParse(path, origin) ? new URL(path, origin) : undefined;
  if (url?.origin !== origin) return '/';
  // `//evil.example` looks like a path but parses as a host, and `/.//evil.example` becomes one.
  return url.pathname.startsWith('//') ? '/' : url.pathname + url.search;
}
