import { Hono } from 'hono';
import { tokenBody } from '../../api/owner-api.ts';
import { page, seeOther } from '../../http/respond.ts';
import { listAccess, revokeApp, revokeEverything, revokePersonalToken } from '../../owner/access.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { clearCookie, SESSION_COOKIE } from '../../owner/cookies.ts';
import type { OwnerVisit } from '../../owner/owner-session.ts';
import { Page } from '../parts/layout.tsx';
import type { Notice } from './connections-page.tsx';
import { formForOwner, forOwner, STALE } from './owner-page.tsx';

/** Serves the page of everything that is let in, and its forms to end each. */
export function connectionsRoutes(ports: AuthPorts): Hono {
  const { origin, owner } = ports;
  const app = new Hono();

  const show = async (visit: OwnerVisit, notice?: Notice, status = 200) => {
    // Few isolates ever show this page, and every start of the Worker would read it.
    const { ConnectionsPage } = await import('./connections-page.tsx');
    return page(
      <Page title="Connections" csrf={visit.csrf} scripts={['passkeys.js']}>
        <ConnectionsPage
          access={await listAccess(ports)}
          visit={visit}
          notice={notice}
          mcpUrl={`${origin}/mcp`}
        />
      </Page>,
      { status },
    );
  };

  app.get('/connections', (c) => forOwner(ports)(c, (visit) => show(visit)));

  /** Takes a form of the page. The owner must be signed in and the form ours. Then goes back to the page. */
  const onForm = (
    path: string,
    act: (form: URLSearchParams, visit: OwnerVisit) => Promise<Response | undefined>,
  ) =>
    app.post(`/connections/${path}`, (c) =>
      formForOwner(ports)(
        c,
        '/connections',
        (visit) => show(visit, { problem: STALE }, 403),
        async ({ form, visit }) => (await act(form, visit)) ?? seeOther('/connections'),
      ),
    );

  onForm('tokens', async (form, visit) => {
    const asked = tokenBody.safeParse({
      name: form.get('name'),
      scopes: form.getAll('scope'),
      days: Number(form.get('days')),
    });
    if (!asked.success) {
      return show(
        visit,
        { problem: 'A token needs a name, at least one thing it may do, and 1 to 365 days.' },
        400,
      );
    }
    const { secret, token } = await owner().createToken(asked.data);
    return show(visit, { newToken: { secret, name: token.name } });
  });

  onForm('code', async (_, visit) => {
    const { code, expiresAt } = await owner().makeSignInCode();
    return show(visit, { signInCode: { code, expiresAt } });
  });

  onForm('tokens/revoke', async (form) => {
    await revokePersonalToken(ports, String(form.get('id')));
    return undefined;
  });

  onForm('sessions/revoke', async (form) => {
    await owner().closeSession(String(form.get('id')));
    return undefined;
  });

  onForm('apps/revoke', async (form) => {
    await revokeApp(ports, String(form.get('id')));
    return undefined;
  });

  onForm('passkeys/remove', async (form) => {
    await owner().removePasskey(String(form.get('id')));
    return undefined;
  });

  onForm('revoke-everything', async () => {
    await revokeEverything(ports);
    return seeOther('/signin', [clearCookie(SESSION_COOKIE)]);
  });
  return app;
}
