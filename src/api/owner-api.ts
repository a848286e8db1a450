import { Hono } from 'hono';
import * as z from 'zod';
import { TOKEN_SCOPES } from '../../contracts/contract.ts';
import type { Failure } from '../core/failure.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import { listAccess, revokeApp, revokeEverything, revokePersonalToken } from '../owner/access.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { clearCookie, SESSION_COOKIE } from '../owner/cookies.ts';
import { badCsrf, ownerOnly } from '../owner/owner-http.ts';
import { fromOwnPage } from '../owner/owner-session.ts';
import { csrfTokenFor } from '../owner/secrets.ts';
import { giveSession } from '../owner/session-cookie.ts';
import { signIn } from '../owner/sign-in.ts';
import { MAX_TOKEN_DAYS } from '../owner/tokens.ts';

const keyBody = z.strictObject({ key: z.string().min(1).max(200) });

export const tokenBody = z.strictObject({
  name: z.string().trim().min(1).max(80),
  scopes: z.array(z.enum(TOKEN_SCOPES)).min(1).max(TOKEN_SCOPES.length),
  days: z.int().min(1).max(MAX_TOKEN_DAYS),
  replace: z.boolean().default(false),
});

/**
 * Serves what only the owner may do, as JSON for the command line. Every call but the first needs the session
 * cookie, and every change also needs the session's CSRF token.
 */
export function ownerApi(ports: AuthPorts): Hono {
  const { origin, owner } = ports;
  const app = new Hono();
  const asOwner = ownerOnly(ports);

  app.post('/session', async (c) => {
    if (!fromOwnPage(c.req.raw, origin)) return failed(badCsrf);
    const body = await bodyOf(c.req.raw, keyBody);
    if ('failure' in body) return failed(body.failure);
    const result = await signIn(body.value.key, c.req.raw, ports);
    if ('failure' in result) return failed(result.failure);
    return ok(
      { csrf: csrfTokenFor(result.secret), session: result.session },
      giveSession(result.secret, ports.ownerKeyHash),
    );
  });

  app.delete('/session', (c) =>
    asOwner(c, async ({ session }) => {
      await owner().closeSession(session.id);
      return ok({ closed: session.id }, clearCookie(SESSION_COOKIE));
    }),
  );

  app.post('/sign-in-codes', (c) => asOwner(c, async () => ok(await owner().makeSignInCode())));

  app.get('/access', (c) => asOwner(c, async () => ok(await listAccess(ports))));

  app.post('/tokens', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, tokenBody);
      if ('failure' in body) return failed(body.failure);
      const { secret, token } = await owner().createToken(body.value);
      if (body.value.replace) ports.forgetTokens();
      return ok({ secret, token });
    }),
  );

  app.delete('/tokens/:id', (c) =>
    asOwner(c, async () =>
      (await revokePersonalToken(ports, c.req.param('id')))
        ? ok({ revoked: true })
        : failed(nothingThere('token')),
    ),
  );

  app.delete('/sessions/:id', (c) =>
    asOwner(c, async () =>
      (await owner().closeSession(c.req.param('id')))
        ? ok({ revoked: true })
        : failed(nothingThere('session')),
    ),
  );

  app.delete('/apps/:id', (c) =>
    asOwner(c, async () =>
      (await revokeApp(ports, c.req.param('id'))) ? ok({ revoked: true }) : failed(nothingThere('app')),
    ),
  );

  app.post('/revoke-everything', (c) =>
    asOwner(c, async () => {
      await revokeEverything(ports);
      return ok({ revoked: true }, clearCookie(SESSION_COOKIE));
    }),
  );
  return app;
}

function nothingThere(what: string): Failure {
  return {
    code: 'not_found',
    http_status: 404,
    message: `There is no such ${what}.`,
    suggestion: 'It may have been revoked already; list what there is.',
  };
}
