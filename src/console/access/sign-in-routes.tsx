import { Hono } from 'hono';
import type { Failure } from '../../core/failure.ts';
import { page, seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { clearCookie, FORM_COOKIE, readCookie, SESSION_COOKIE, setCookie } from '../../owner/cookies.ts';
import { formOf, formTicket, isOwnForm, ownerVisit, safeReturn } from '../../owner/owner-session.ts';
import { giveSession } from '../../owner/session-cookie.ts';
import { signIn } from '../../owner/sign-in.ts';
import { Page, Problem } from '../parts/layout.tsx';
import { formForOwner } from './owner-page.tsx';
import { begins } from './passkey-names.ts';
import { CODE_FIELD, CODE_FORM } from './sign-in-names.ts';

/** Serves signing in and out. */
export function signInRoutes(ports: AuthPorts): Hono {
  const { origin, owner } = ports;
  const app = new Hono();

  const form = async (request: Request, next: string, failure?: Failure) => {
    const { cookie, csrf } = formTicket(request);
    const hasPasskey = (await owner().passkeys()).length > 0;
    return page(<SignInPage csrf={csrf} next={next} hasPasskey={hasPasskey} failure={failure} />, {
      status: failure?.http_status ?? 200,
      cookies: [setCookie(FORM_COOKIE, cookie, 3_600)],
      step: 'sign-in',
      retryAfter: failure?.retry_after,
    });
  };

  app.get('/signin', async (c) => {
    const next = safeReturn(c.req.query('next'), origin);
    return (await ownerVisit(c.req.raw, owner())) ? seeOther(next) : form(c.req.raw, next);
  });

  app.post('/signin', async (c) => {
    const sent = await formOf(c.req.raw);
    const to = safeReturn(sent.get('next'), origin);
    if (!isOwnForm(c.req.raw, origin, readCookie(c.req.raw, FORM_COOKIE), sent.get('csrf')))
      return form(c.req.raw, to, staleForm);
    const result = await signIn(sent.get(CODE_FIELD) || (sent.get('key') ?? ''), c.req.raw, ports);
    if ('failure' in result) return form(c.req.raw, to, result.failure);
    return seeOther(to, [giveSession(result.secret, ports.ownerKeyHash), clearCookie(FORM_COOKIE)]);
  });

  app.post('/signout', (c) =>
    formForOwner(ports)(
      c,
      '/',
      () => seeOther('/signin'),
      async ({ visit }) => {
        await owner().closeSession(visit.session.id);
        return seeOther('/signin', [clearCookie(SESSION_COOKIE)]);
      },
    ),
  );
  return app;
}

/** The failure for a form without its ticket: from another site, or from a page that stayed open too long. */
const staleForm: Failure = {
  code: 'stale_form',
  http_status: 403,
  message: 'This form has expired.',
  suggestion: 'It was open too long, or another page sent it. Send it again from here.',
};

interface SignInProps {
  readonly csrf: string;
  readonly next: string;
  readonly hasPasskey: boolean;
  readonly failure?: Failure | undefined;
}

function SignInPage({ csrf, next, hasPasskey, failure }: SignInProps) {
  return (
    <Page title="Sign in" scripts={['sign-in.js', ...(hasPasskey ? ['passkeys.js'] : [])]}>
      <section class="card narrow">
        <h1>Sign in to your Bowline</h1>
        {failure ? <Problem message={failure.message} suggestion={failure.suggestion} /> : null}
        {hasPasskey ? (
          <form {...begins('signIn')} hidden>
            <input type="hidden" name="csrf" value={csrf} />
            <input type="hidden" name="next" value={next} />
            <p class="row">
              <button class="main" type="submit">
                Use a passkey
              </button>
            </p>
            <p role="alert" class="small" />
          </form>
        ) : null}
        <form method="post" action="/signin" id={CODE_FORM}>
          <input type="hidden" name={CODE_FIELD} value="" />
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="next" value={next} />
          <label for="key">Owner key</label>
          <input
            id="key"
            name="key"
            type="password"
            required
            autocomplete="current-password"
            autofocus
            spellcheck={false}
          />
          <p class="row">
            <button class={hasPasskey ? '' : 'main'} type="submit">
              Sign in
            </button>
          </p>
        </form>
        <p class="quiet small">
          The owner key was made when this gateway was set up: <code>bowline deploy</code> showed it once,{' '}
          <code>npm start</code> names its file. It begins with <code>bwl_owner_</code>. A one-time code, from
          the console or a terminal where you are signed in, works here too.
        </p>
      </section>
    </Page>
  );
}
