import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import * as z from 'zod';
import type { Failure } from '../core/failure.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { clearCookie, FORM_COOKIE, readCookie } from '../owner/cookies.ts';
import { needsOf } from '../owner/owner-changes.ts';
import { badCsrf, signInRequired } from '../owner/owner-http.ts';
import { isOwnForm, type OwnerVisit, ownerVisit, safeReturn } from '../owner/owner-session.ts';
import type { Confirmed, SignedIn } from '../owner/passkey-answers.ts';
import {
  confirmOptions,
  confirms,
  register,
  registrationOptions,
  signInOptions,
  signsIn,
} from '../owner/passkeys.ts';
import { hasFreshProof, proofNeeded, prove } from '../owner/proof.ts';
import { giveSession } from '../owner/session-cookie.ts';
import { notSetUp } from '../owner/sign-in.ts';

const ticket = z.object({ csrf: z.string(), next: z.string().optional() });
// The library checks what an authenticator says. Here it only has to be an object.
const spoken = ticket.extend({ response: z.looseObject({ id: z.string() }) });
const naming = spoken.extend({ name: z.string().trim().min(1).max(60) });

/** Serves the passkey ceremonies for the page's script. */
export function passkeyRoutes(ports: AuthPorts): Hono {
  const { origin, owner, addressOf } = ports;
  const app = new Hono();

  /** Makes a step of a ceremony, for an owner who is already signed in. */
  const step = <Body extends z.infer<typeof ticket>>(
    path: string,
    shape: z.ZodType<Body>,
    act: (body: Body, visit: OwnerVisit) => Promise<Response>,
  ) =>
    app.post(path, async (c) => {
      const body = await bodyOf(c.req.raw, shape);
      if ('failure' in body) return failed(body.failure);
      const visit = await ownerVisit(c.req.raw, owner());
      if (!visit) return failed(signInRequired);
      if (!isOwnForm(c.req.raw, origin, visit.secret, body.value.csrf)) return failed(badCsrf);
      if (needsOf('POST', routePath(c)) === 'fresh' && !hasFreshProof(visit)) return failed(proofNeeded);
      return act(body.value, visit);
    });

  step('/register/options', ticket, async (_, { session }) =>
    ok(await registrationOptions(ports, session.id)),
  );
  step('/register', naming, async ({ name, response }, { session }) => {
    const answer = response as unknown as RegistrationResponseJSON;
    return (await register(ports, session.id, name, answer)) ? ok({ registered: true }) : failed(notProven);
  });
  step('/confirm/options', ticket, async (_, { session }) => ok(await confirmOptions(ports, session.id)));
  step('/confirm', spoken, async ({ response }, visit) => {
    const answer = response as unknown as AuthenticationResponseJSON;
    const isRight = await confirms(ports, visit.session.id, answer);
    const proven = isRight ? await prove(visit, ports) : undefined;
    // The page's forms still carry the old session's CSRF token.
    if (!proven) return failed(notProven);
    return ok({ confirmed: true, csrf: proven.visit.csrf } satisfies Confirmed, proven.cookie);
  });

  app.post('/sign-in/options', async (c) => {
    const body = await bodyOf(c.req.raw, ticket);
    if ('failure' in body) return failed(body.failure);
    const cookie = readCookie(c.req.raw, FORM_COOKIE);
    if (!isOwnForm(c.req.raw, origin, cookie, body.value.csrf)) return failed(badCsrf);
    const { ownerKeyHash } = ports;
    return ownerKeyHash ? ok(await signInOptions(ports, ownerKeyHash)) : failed(notSetUp);
  });

  app.post('/sign-in', async (c) => {
    const body = await bodyOf(c.req.raw, spoken);
    if ('failure' in body) return failed(body.failure);
    const cookie = readCookie(c.req.raw, FORM_COOKIE);
    if (!isOwnForm(c.req.raw, origin, cookie, body.value.csrf)) return failed(badCsrf);
    const response = body.value.response as unknown as AuthenticationResponseJSON;
    if (!(await signsIn(ports, response))) return failed(notProven);
    const agent = c.req.header('user-agent') ?? '';
    const { secret } = await owner().openSession({ method: 'passkey', agent, address: addressOf(c.req.raw) });
    const answer = ok(
      { location: safeReturn(body.value.next, origin) } satisfies SignedIn,
      giveSession(secret, ports.ownerKeyHash),
    );
    answer.headers.append('set-cookie', clearCookie(FORM_COOKIE));
    return answer;
  });
  return app;
}

const notProven: Failure = {
  code: 'passkey_refused',
  http_status: 403,
  message: 'That passkey was not accepted.',
  suggestion: 'Try again, or use the owner key.',
};
