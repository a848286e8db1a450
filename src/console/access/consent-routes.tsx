import {
  AuthorizationError,
  CimdFetchError,
  type ConsentDescription,
} from '@cloudflare/workers-oauth-provider';
import { Hono } from 'hono';
import { SCOPES, type Scope } from '../../../contracts/contract.ts';
import { visible, visibleLine } from '../../core/visible.ts';
import { page, seeOther } from '../../http/respond.ts';
import { isAppAddress, programScheme } from '../../owner/app-address.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { clientAsking } from '../../owner/client-id.ts';
import { nameResource } from '../../owner/known-client.ts';
import { type GrantProps, OWNER_ID } from '../../owner/oauth-server.ts';
import { ownerVisit } from '../../owner/owner-session.ts';
import { appPrincipal } from '../../owner/principals.ts';
import { hasFreshProof } from '../../owner/proof.ts';
import { SCOPE_MEANING } from '../../owner/scope-meaning.ts';
import { Page, Problem } from '../parts/layout.tsx';
import { formForOwner } from './owner-page.tsx';

/** Asks the owner if an app may connect, and takes the answer. */
export function consentRoutes(auth: AuthPorts): Hono {
  const { oauth, owner } = auth;
  const app = new Hono();

  app.get('/authorize', async (c) => {
    const request = c.req.raw;
    const client = clientAsking(request);
    if (client.kind === 'refused')
      return problem('This app cannot be verified.', `Its address will not be fetched: ${client.why}.`);
    const visit = await ownerVisit(request, owner());
    const signInFirst = () => {
      const { pathname, search } = new URL(request.url);
      return seeOther(`/signin?next=${encodeURIComponent(pathname + search)}`);
    };
    // An app may name itself by an address. To look it up costs a request, so do that only for the owner.
    if (!visit && client.kind === 'document') return signInFirst();
    const url = new URL(request.url);
    nameResource(url.searchParams);
    const asked = await oauth.parseAuthRequest(new Request(url, request));
    if (!asked.codeChallenge || asked.codeChallengeMethod !== 'S256') {
      return problem(
        'This app asked in an unsafe way.',
        'Apps must use PKCE with S256. Update the app, or use another one.',
      );
    }
    if (!isAppAddress(asked.redirectUri)) {
      return problem(
        'This app wants its access sent to an address that no app can receive it at.',
        `Bowline does not open ${programScheme(asked.redirectUri)}: addresses.`,
      );
    }
    if (!visit) return signInFirst();
    const described = await oauth.describeConsent(asked);
    const { handle, headers } = await oauth.beginConsent(asked);
    const wanted = SCOPES.filter((scope) => asked.scope.length === 0 || asked.scope.includes(scope));
    return page(<ConsentPage client={described} handle={handle} csrf={visit.csrf} wanted={wanted} />, {
      cookies: headers.getSetCookie(),
      step: 'consent',
    });
  });

  app.post('/authorize', (c) =>
    // The library reads only the request's cookies, so read the form here.
    formForOwner(auth, {
      step: 'consent',
      signInFirst: () => problem('You are not signed in here.', 'Start again from the app.'),
    })(
      c,
      '/',
      () => problem('This form has expired.', 'Start again from the app that sent you here.'),
      async ({ visit, form, askForProof }) => {
        const handle = String(form.get('handle') ?? '');
        if (form.get('decision') !== 'approve') {
          const { redirectTo, headers } = await oauth.denyConsent(c.req.raw, handle);
          return seeOther(redirectTo, headers.getSetCookie());
        }
        const scope = SCOPES.filter((one) => form.getAll('scope').includes(one));
        if (scope.length === 0)
          return problem('Nothing was granted.', 'Start again from the app and tick at least one box.');
        if (!hasFreshProof(visit)) return askForProof();
        const { request, headers } = await oauth.approveConsent(c.req.raw, handle, { scope });
        const { clientName } = await oauth.describeConsent(request);
        // The app may have been shut out before, and has the same name again.
        await auth.endLoans({ principal: appPrincipal(request.clientId) });
        const accessId = await owner().grantAccess();
        const props: GrantProps = { clientName: visibleLine(clientName, 80), accessId };
        const { redirectTo } = await oauth.completeAuthorization({
          request,
          userId: OWNER_ID,
          metadata: { ...props },
          scope,
          props,
        });
        return seeOther(redirectTo, headers.getSetCookie());
      },
    ),
  );

  app.onError((error) => {
    if (error instanceof AuthorizationError) {
      // The library does not know which addresses belong to no app.
      return error.redirectTo && isAppAddress(error.redirectTo)
        ? seeOther(error.redirectTo)
        : problem('This request cannot be granted.', error.description);
    }
    if (error instanceof CimdFetchError) {
      return problem(
        'This app cannot be verified.',
        'It names itself by a web address, but no usable description of an app is there.',
      );
    }
    throw error;
  });
  return app;
}

function problem(message: string, suggestion?: string): Promise<Response> {
  return page(
    <Page title="Not granted">
      <section class="card narrow">
        <h1>Not granted</h1>
        <Problem message={visible(message, 300)} suggestion={suggestion && visible(suggestion, 300)} />
      </section>
    </Page>,
    { status: 400 },
  );
}

interface ConsentProps {
  readonly client: ConsentDescription;
  readonly handle: string;
  readonly csrf: string;
  readonly wanted: readonly Scope[];
}

function ConsentPage({ client, handle, csrf, wanted }: ConsentProps) {
  const name = visibleLine(client.clientName, 80);
  const scheme = programScheme(client.redirectUri);
  return (
    <Page title="Let this app in?" csrf={csrf}>
      <section class="card narrow">
        <h1>Let “{name}” use your Bowline?</h1>
        <dl class="facts">
          <dt>Published by</dt>
          <dd>
            {client.clientDomain ? (
              <strong>{visible(client.clientDomain, 120)}</strong>
            ) : (
              'unknown: the app chose its own name'
            )}
          </dd>
          <dt>Access goes to</dt>
          <dd>
            {scheme === undefined ? (
              <strong>{visible(client.redirectHost, 120)}</strong>
            ) : (
              <>
                the program on this computer that opens <strong>{scheme}:</strong> addresses (
                {visible(client.redirectUri, 200)})
              </>
            )}
          </dd>
        </dl>
        {client.redirectIsLoopback || scheme !== undefined ? (
          <p class="notice">
            This gives access to a program on your own computer. Continue only if you have just started
            signing in from it.
          </p>
        ) : null}
        <form method="post" action="/authorize">
          <input type="hidden" name="handle" value={handle} />
          <input type="hidden" name="csrf" value={csrf} />
          <fieldset>
            <legend>It may</legend>
            {SCOPES.map((scope) => (
              <label class="choice">
                <input type="checkbox" name="scope" value={scope} checked={wanted.includes(scope)} />
                <span>{SCOPE_MEANING[scope]}</span>
              </label>
            ))}
          </fieldset>
          <p class="row">
            <button class="main" type="submit" name="decision" value="approve">
              Allow
            </button>
            <button type="submit" name="decision" value="deny">
              Deny
            </button>
          </p>
        </form>
        <p class="quiet small">You can revoke this at any time under Connections.</p>
      </section>
    </Page>
  );
}
