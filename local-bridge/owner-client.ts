import * as z from 'zod';
import type { Scope } from '../contracts/contract.ts';
import { CliError } from './exit.ts';
import { failureShape, reach } from './gateway-client.ts';

const sessionShape = z.object({ csrf: z.string() });
const tokenShape = z.object({
  secret: z.string(),
  token: z.object({ id: z.string(), name: z.string(), scopes: z.array(z.string()), expiresAt: z.number() }),
});

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly days: number;
  /** Revokes the tokens that had this name before. */
  readonly replace?: boolean;
}

/** The owner, signed in at a gateway for as long as one command takes. */
export interface OwnerSession {
  createToken(asked: NewToken): Promise<z.infer<typeof tokenShape>>;
  /** Any call of the owner's API, its answer unread. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<unknown>;
  signOut(): Promise<void>;
}

/** Signs in with the owner key, as the sign-in page does. */
export async function signInAsOwner(url: string, ownerKey: string): Promise<OwnerSession> {
  const response = await reach(`${url}/api/owner/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: ownerKey }),
  });
  const { csrf } = sessionShape.parse(await bodyOf(response));
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const call: OwnerSession['call'] = async (method, path, body, signal) =>
    bodyOf(
      await reach(`${url}/api/owner/${path}`, {
        method,
        headers: { 'content-type': 'application/json', cookie, 'x-csrf-token': csrf },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(signal ? { signal } : {}),
      }),
    );
  return {
    call,
    createToken: async (asked) => tokenShape.parse(await call('POST', 'tokens', asked)),
    signOut: async () => void (await call('DELETE', 'session')),
  };
}

async function bodyOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const failure = failureShape.safeParse(body);
  if (failure.success) throw new CliError(failure.data.message, failure.data.suggestion);
  throw new CliError(`The gateway answered ${response.status}, but not as a Bowline gateway does.`);
}
