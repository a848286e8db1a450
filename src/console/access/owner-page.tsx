import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import { routePath } from 'hono/route';
import type { Failure } from '../../core/failure.ts';
import { type PageOptions, page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { needsOf } from '../../owner/owner-changes.ts';
import { formOf, isOwnForm, type OwnerVisit, ownerVisit } from '../../owner/owner-session.ts';
import { hasFreshProof, prove } from '../../owner/proof.ts';
import { keyRefused } from '../../owner/sign-in.ts';
import { Page } from '../parts/layout.tsx';
import { KEY_FIELD, proofPage } from './proof-page.tsx';

type Show = (visit: OwnerVisit) => Response | Promise<Response>;

export interface OwnerForm {
  readonly visit: OwnerVisit;
  readonly form: URLSearchParams;
  /** Asks for a proof. The form then comes again. */
  askForProof(): Promise<Response>;
}

interface FormOptions extends Pick<PageOptions, 'step'> {
  /** Answers a form whose sender is not signed in, or no longer is. */
  signInFirst?(next: string): Response | Promise<Response>;
}

const toSignIn = (next: string) => seeOther(`/signin?next=${encodeURIComponent(next)}`);

/** The message for a stale form, on the page that it came from. */
export const STALE = 'That form had expired. Nothing was changed. Do it again here.';

/** Shows a page to its owner. Sends anybody else to the sign-in, and from there back. */
export function forOwner({ owner }: Pick<AuthPorts, 'owner'>) {
  return async (c: Context, show: Show): Promise<Response> => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (visit) return show(visit);
    const { pathname, search } = new URL(c.req.url);
    return toSignIn(pathname + search);
  };
}

/**
 * Takes a form from the owner. They must be signed in, must have filled it in on a page of ours, and must
 * bring a fresh proof where `owner-changes.ts` demands one. `stale` answers a form from elsewhere. If the
 * proof is missing, a page asks for it and sends the form again.
 */
export function formForOwner(auth: AuthPorts, { step, signInFirst = toSignIn }: FormOptions = {}) {
  const { owner, origin } = auth;
  return async (
    c: Context,
    next: string,
    stale: Show,
    act: (sent: OwnerForm) => Response | Promise<Response>,
  ): Promise<Response> => {
    const request = c.req.raw;
    const visit = await ownerVisit(request, owner());
    if (!visit) return signInFirst(next);
    const form = await formOf(request);
    if (!isOwnForm(request, origin, visit.secret, form.get('csrf'))) return stale(visit);
    const ask = async (failure?: Failure) => {
      const hasPasskey = (await owner().passkeys()).length > 0;
      return proofPage({ visit, action: c.req.path, form, hasPasskey, failure, step });
    };
    const key = form.get(KEY_FIELD);
    if (key === null) {
      if (needsOf(c.req.method, routePath(c)) === 'fresh' && !hasFreshProof(visit)) return ask();
      return act({ visit, form, askForProof: ask });
    }
    const refused = await keyRefused(key, request, auth);
    if (refused) return ask(refused);
    const proven = await prove(visit, auth);
    if (!proven) return signInFirst(next);
    form.delete(KEY_FIELD);
    const answer = await act({ visit: proven.visit, form, askForProof: ask });
    // Some answers come from elsewhere and cannot be changed.
    const signed = new Response(answer.body, answer);
    signed.headers.append('set-cookie', proven.cookie);
    return signed;
  };
}

/** Answers an address where nothing exists. */
export function notThere(
  { csrf }: OwnerVisit,
  { title, within, children }: { readonly title: string; readonly within: string; readonly children: Child },
): Promise<Response> {
  return page(
    <Page title={title} within={within} csrf={csrf}>
      <h1>{title}</h1>
      <p>{children}</p>
    </Page>,
    { status: 404 },
  );
}
