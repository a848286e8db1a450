import { Hono } from 'hono';
import { seeOther } from '../../http/respond.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';
import { safeReturn } from '../../owner/owner-session.ts';
import { formForOwner, forOwner } from './owner-page.tsx';
import { proofPage } from './proof-page.tsx';

/** Serves the page to which a script sends the owner for a proof, and from which they come back. */
export function proofRoutes(auth: AuthPorts): Hono {
  const app = new Hono();
  app.get('/prove', (c) =>
    forOwner(auth)(c, async (visit) => {
      const form = new URLSearchParams({ next: safeReturn(c.req.query('next'), auth.origin) });
      const hasPasskey = (await auth.owner().passkeys()).length > 0;
      return proofPage({ visit, action: '/prove', form, hasPasskey });
    }),
  );
  app.post('/prove', (c) => {
    const back = (to: unknown) => seeOther(safeReturn(to, auth.origin));
    return formForOwner(auth)(
      c,
      '/prove',
      () => back('/'),
      ({ form }) => back(form.get('next')),
    );
  });
  return app;
}
