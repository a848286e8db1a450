import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { SCOPES } from '../../contracts/contract.ts';
import { doorFailure, type Failure } from '../core/failure.ts';
import { JsonRefused, parseStrictJson } from '../core/json.ts';
import { readBody } from '../surfaces/body.ts';
import { listAccess, revokeApp, revokeEverything } from './access.ts';
import type { AuthPorts } from './auth-ports.ts';
import { clearCookie, SESSION_COOKIE, setCookie } from './cookies.ts';

import { fromOwnPage, isOwnForm, type OwnerVisit, ownerVisit } from './owner-session.ts';
import { csrfTokenFor } from './secrets.ts';
import { signInWithKey } from './sign-in.ts';
import { MAX_TOKEN_DAYS } from './tokens.ts';

const keyBody = z.strictObject({ key: z.string().min(1).max(200) });

export const tokenBody = z.strictObject({
  name: z.string().trim().min(1).max(80),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  days: z.int().min(1).max(MAX_TOKEN_DAYS),
  replace: z.boolean().default(false),
});

/**
 * What only the owner may do, as JSON for the command line. Every call but the first needs the
 * session cookie, and every change the session's CSRF token beside it.
 */
export function ownerApi(ports: AuthPorts): Hono {
  const { origin, owner, ownerKeyHash } = ports;
  const app = new Hono();

  /** Runs `act` for a signed-in owner; a change must also come from a page or program of theirs. */
  const asOwner = async (
    c: Context,
    act: (visit: OwnerVisit) => Response | Promise<Response>,
  ): Promise<Response> => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return failed(signInRequired);
    const changes = c.req.method !== 'GET';
    if (changes && !isOwnForm(c.req.raw, origin, visit.secret, c.req.header('x-csrf-token')))
      return failed(badCsrf);
    return act(visit);
  };

  app.post('/session', async (c) => {
    if (!fromOwnPage(c.req.raw, origin)) return failed(badCsrf);
    const body = await bodyOf(c.req.raw, keyBody);
    if ('failure' in body) return failed(body.failure);
    const result = await signInWithKey(body.value.key, c.req.raw, owner(), ownerKeyHash);
    if ('failure' in result) return failed(result.failure);
    return ok(
      { csrf: csrfTokenFor(result.secret), session: result.session },
      setCookie(SESSION_COOKIE, result.secret),
    );
  });

  app.delete('/session', (c) =>
    asOwner(c, async ({ session }) => {
      await owner().closeSession(session.id);
      return ok({ closed: session.id }, clearCookie(SESSION_COOKIE));
    }),
  );

  app.get('/access', (c) => asOwner(c, async () => ok(await listAccess(ports))));

  app.post('/tokens', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, tokenBody);
      if ('failure' in body) return failed(body.failure);
      const { secret, token } = await owner().createToken(body.value);
      return ok({ secret, token });
    }),
  );

  app.delete('/tokens/:id', (c) =>
    asOwner(c, async () => {
      const found = await owner().revokeToken(c.req.param('id'));
      ports.forgetTokens();
      return found ? ok({ revoked: true }) : failed(nothingThere('token'));
    }),
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

function nothingThere(what: string): Failure {
  return {
    code: 'not_found',
    http_status: 404,
    message: `There is no such ${what}.`,
    suggestion: 'It may have been revoked already; list what there is.',
  };
}

/** A JSON body that fits, or why it does not. */
export async function bodyOf<T>(
  request: Request,
  shape: z.ZodType<T>,
): Promise<{ value: T } | { failure: Failure }> {
  try {
    const parsed = shape.safeParse(parseStrictJson(await readBody(request, 64 * 1024)));
    if (parsed.success) return { value: parsed.data };
    const [issue] = parsed.error.issues;
    return {
      failure: doorFailure('invalid_input', {
        message: `${issue?.path.join('.') || 'The body'}: ${issue?.message}.`,
      }),
    };
  } catch (error) {
    const message = error instanceof JsonRefused ? error.message : 'The body could not be read.';
    return { failure: doorFailure('invalid_input', { message }) };
  }
}

export function ok(body: object, cookie?: string): Response {
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (cookie) headers.append('set-cookie', cookie);
  return Response.json(body, { headers });
}

export function failed(failure: Failure): Response {
  return Response.json(failure, {
    status: failure.http_status,
    headers: {
      'cache-control': 'no-store',
      ...(failure.retry_after === undefined ? {} : { 'retry-after': String(failure.retry_after) }),
    },
  });
}
