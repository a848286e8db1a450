import type { Context } from 'hono';
import type * as z from 'zod';
import { doorFailure, type Failure } from '../core/failure.ts';
import { JsonRefused, parseStrictJson } from '../core/json.ts';
import { BodyTooLarge, readBody } from '../surfaces/body.ts';
import type { AuthPorts } from './auth-ports.ts';
import { isOwnForm, type OwnerVisit, ownerVisit } from './owner-session.ts';

/** Far more than anything the owner says here. */
const MAX_BYTES = 64 * 1024;

type Act = (visit: OwnerVisit) => Response | Promise<Response>;

/**
 * Guards what only the owner may do: needs the session cookie, and for every change the session's CSRF
 * token beside it. No bearer token counts here, whatever its scopes.
 */
export function ownerOnly({ origin, owner }: Pick<AuthPorts, 'origin' | 'owner'>) {
  return async (c: Context, act: Act): Promise<Response> => {
    const visit = await ownerVisit(c.req.raw, owner());
    if (!visit) return failed(signInRequired);
    const changes = c.req.method !== 'GET';
    if (changes && !isOwnForm(c.req.raw, origin, visit.secret, c.req.header('x-csrf-token')))
      return failed(badCsrf);
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

/** A JSON body that fits, or why it does not. */
export async function bodyOf<T>(
  request: Request,
  shape: z.ZodType<T>,
  maxBytes = MAX_BYTES,
): Promise<{ value: T } | { failure: Failure }> {
  try {
    const parsed = shape.safeParse(parseStrictJson(await readBody(request, maxBytes)));
    if (parsed.success) return { value: parsed.data };
    const [issue] = parsed.error.issues;
    return {
      failure: doorFailure('invalid_input', {
        message: `${issue?.path.join('.') || 'The body'}: ${issue?.message}.`,
      }),
    };
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      const message = `The request body is over ${maxBytes} bytes.`;
      return { failure: { ...doorFailure('invalid_input', { message }), http_status: 413 } };
    }
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
