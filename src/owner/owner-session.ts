import { readBody } from '../http/body.ts';
import { FORM_COOKIE, readCookie } from './cookies.ts';
import type { OwnerStub } from './owner-stub.ts';
import { csrfTokenFor, newSecret, sameHash } from './secrets.ts';
import { sessionSecretIn } from './session-cookie.ts';
import type { Session } from './sessions.ts';

/** Far more than any form of ours holds. */
const MAX_FORM_BYTES = 64 * 1024;

/** A request that the owner's own browser (or their command line) sent while signed in. */
export interface OwnerVisit {
  readonly session: Session;
  readonly secret: string;
  /** What this session's forms carry. */
  readonly csrf: string;
}

/** The owner's session behind a request. A bearer token opens nothing here, whatever its scopes. */
export async function ownerVisit(request: Request, owner: OwnerStub): Promise<OwnerVisit | undefined> {
  const secret = sessionSecretIn(request);
  if (secret === undefined) return undefined;
  const session = await owner.session(secret);
  return session ? visitOf({ session, secret }) : undefined;
}

export function visitOf({ session, secret }: Pick<OwnerVisit, 'session' | 'secret'>): OwnerVisit {
  return { session, secret, csrf: csrfTokenFor(secret) };
}

/** The cookie that ties a form for somebody not yet signed in to their browser, and the token to put in it. */
export function formTicket(request: Request): { cookie: string; csrf: string } {
  const cookie = readCookie(request, FORM_COOKIE) ?? newSecret('bwl_sess');
  return { cookie, csrf: csrfTokenFor(cookie) };
}

/** What a form of ours sent. Anything else is an empty one, which then fails for want of its ticket. */
export async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return new URLSearchParams();
  return new URLSearchParams(await readBody(request, MAX_FORM_BYTES).catch(() => ''));
}

/** Whether a form was filled in on a page of ours, in the browser we showed it to. */
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

/** Browsers say where a POST comes from; a command line has no page and says nothing. */
export function fromOwnPage(request: Request, origin: string): boolean {
  const from = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  return (from === null || from === origin) && (site === null || site === 'same-origin' || site === 'none');
}

/** A path of this gateway to go on to after signing in; anything else would send the owner away. */
export function safeReturn(path: unknown, origin: string): string {
  if (typeof path !== 'string' || !path.startsWith('/') || /[\\\p{Cc}]/u.test(path)) return '/';
  const url = URL.canParse(path, origin) ? new URL(path, origin) : undefined;
  if (url?.origin !== origin) return '/';
  // `//evil.example` is a path to the eye and a host to the parser, and `/.//evil.example` becomes one.
  return url.pathname.startsWith('//') ? '/' : url.pathname + url.search;
}
