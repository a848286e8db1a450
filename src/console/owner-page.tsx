import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { AuthPorts } from '../auth/auth-ports.ts';
import { formOf, isOwnForm, type OwnerVisit, ownerVisit } from '../auth/owner-session.ts';
import { Page } from './layout.tsx';
import { page, seeOther } from './respond.ts';

type Show = (visit: OwnerVisit) => Response | Promise<Response>;

export interface OwnerForm {
  readonly visit: OwnerVisit;
  readonly form: URLSearchParams;
}

/** What a stale form is told on the page that it came from. */
export const STALE = 'That form was no longer good. Nothing was changed; do it again here.';

/** Shows a page to its owner and leads anybody else to the sign-in, and from there back. */
export function forOwner({ owner }: Pick<AuthPorts, 'owner'>) {
  return async (c: Context, show: Show): Promise<Response> => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (visit) return show(visit);
    const { pathname, search } = new URL(c.req.url);
    return seeOther(`/signin?next=${encodeURIComponent(pathname + search)}`);
  };
}

/** Takes a form of the owner's: signed in, and filled in on a page of ours. `stale` answers one that was not. */
export function formForOwner({ owner, origin }: Pick<AuthPorts, 'owner' | 'origin'>) {
  return async (
    c: Context,
    next: string,
    stale: Show,
    act: (sent: OwnerForm) => Response | Promise<Response>,
  ): Promise<Response> => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return seeOther(`/signin?next=${encodeURIComponent(next)}`);
    const form = await formOf(c.req.raw);
    return isOwnForm(c.req.raw, origin, visit.secret, form.get('csrf')) ? act({ visit, form }) : stale(visit);
  };
}

/** What an address leads to that there is nothing at. */
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
