import type * as z from 'zod';
import { doorFailure, type Failure } from '../core/failure.ts';
import { JsonRefused, parseStrictJson } from '../core/json.ts';
import { BodyTooLarge, readBody } from './body.ts';
import { BodyTooSlow } from './slow-body.ts';

/** Far more than anybody sends to an API. */
const MAX_BYTES = 64 * 1024;

/** Reads a JSON body that fits the schema, or says why it does not. */
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
    if (error instanceof BodyTooSlow)
      return { failure: { ...doorFailure('invalid_input', { message: error.message }), http_status: 408 } };
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
