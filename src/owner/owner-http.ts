import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { Failure } from '../core/failure.ts';
import { failed } from '../http/json-http.ts';
import type { AuthPorts } from './auth-ports.ts';
import { needsOf } from './owner-changes.ts';
import { isOwnForm, type OwnerVisit, ownerVisit } from './owner-session.ts';
import { hasFreshProof, proofNeeded } from './proof.ts';

type Act = (visit: OwnerVisit) => Response | Promise<Response>;

/**
 * Guards what only the owner may do. It requires the session cookie. A change also needs the session's CSRF
 * token, and a fresh proof where `owner-changes.ts` says so. No bearer token counts here, whatever its
 * scopes.
 */
export function ownerOnly({ origin, owner }: Pick<AuthPorts, 'origin' | 'owner'>) {
  return async (c: Context, act: Act): Promise<Response> => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return failed(signInRequired);
    const changes = c.req.method !== 'GET';
    if (changes && !isOwnForm(c.req.raw, origin, visit.secret, c.req.header('x-csrf-token')))
      return failed(badCsrf);
    if (needsOf(c.req.method, routePath(c)) === 'fresh' && !hasFreshProof(visit)) return failed(proofNeeded);
    return act(visit);
  };
}

export const signInRequired: Failure = {
  code: 'sign_in_required',
  http_status: 401,
  message: 'Only the owner may do this, signed in.',
  suggestion: 'Sign in with the owner key or a passkey; tokens do not count here.',
};

export const badCsrf: Failure = {
  code: 'csrf',
  http_status: 403,
  message: 'This request did not come from a page of this gateway.',
  suggestion: 'Do it from the console or with `bowline`.',
};
