import * as z from 'zod';
import type { TokenScope } from '../../contracts/contract.ts';
import { CliError } from './exit.ts';
import { failureShape, notUnderstood, reach } from './gateway-client.ts';
import type { HeldSession } from './owner-session-file.ts';

const sessionShape = z.object({ csrf: z.string() });
const tokenShape = z.object({
  secret: z.string(),
  token: z.object({ id: z.string(), name: z.string(), scopes: z.array(z.string()), expiresAt: z.number() }),
});

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly days: number;
  /** True to revoke the tokens that had this name before. */
  readonly replace?: boolean;
}

/** The owner, signed in at a gateway while one command runs. */
export interface OwnerSession {
  /** The headers that prove a request to be the owner's. */
  readonly headers: HeldSession;
  createToken(asked: NewToken): Promise<z.infer<typeof tokenShape>>;
  /** Calls the owner's API and gives the answer unread. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<unknown>;
  /** Ends the session. With `keep`, ends only the older ones that a newer one replaced. */
  signOut(keep?: 'keep'): Promise<void>;
}

type Asked = Parameters<OwnerSession['call']>;

/** Signs in with the owner key, as the sign-in page does. */
export async function signInAsOwner(url: string, ownerKey: string): Promise<OwnerSession> {
  return continueAsOwner(url, await openSession(url, ownerKey), () => openSession(url, ownerKey));
}

/** Continues a session. `renew` opens another when the gateway wants a fresh proof, or the session is over. */
export function continueAsOwner(
  url: string,
  held: HeldSession,
  renew: () => Promise<HeldSession>,
): OwnerSession {
  let session = held;
  const earlier: HeldSession[] = [];
  const sendIn = async (held: HeldSession, ...[method, path, body, signal]: Asked) =>
    reach(`${url}/api/owner/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...held },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
  const send: (...asked: Asked) => Promise<Response> = (...asked) => sendIn(session, ...asked);
  const signOut: OwnerSession['signOut'] = async (keep) => {
    // A session that is already over needs no end.
    for (const held of [...earlier, ...(keep ? [] : [session])])
      if ((await sendIn(held, 'DELETE', 'session')).status >= 500)
        throw new CliError('The gateway failed to sign out.');
  };
  const call: OwnerSession['call'] = async (...asked) => {
    const first = await answerOf(await send(...asked));
    if (!('failure' in first) || !RENEWED.has(first.failure.code)) return bodyIn(first);
    // A long command may need a second sign-in as a fresh proof. Earlier requests may still wait for an answer, so
    // the old session stays open meanwhile.
    earlier.push(session);
    session = await renew();
    return bodyOf(await send(...asked));
  };
  return {
    get headers() {
      return session;
    },
    call,
    createToken: async (asked) => tokenShape.parse(await call('POST', 'tokens', asked)),
    signOut,
  };
}

/** The gateway's error codes for which a new session may help. */
const RENEWED: ReadonlySet<string> = new Set(['proof_needed', 'sign_in_required']);

/** Opens a session with the owner key, or with a one-time code. */
export async function openSession(url: string, ownerKey: string): Promise<HeldSession> {
  const response = await reach(`${url}/api/owner/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: ownerKey }),
  });
  const opened = sessionShape.safeParse(await bodyOf(response));
  if (!opened.success) throw notUnderstood(url);
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return { cookie, 'x-csrf-token': opened.data.csrf };
}

type Answer = { readonly body: unknown } | { readonly failure: z.infer<typeof failureShape> };

async function answerOf(response: Response): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return { body };
  const failure = failureShape.safeParse(body);
  if (failure.success) return { failure: failure.data };
  throw new CliError(`The gateway answered ${response.status}, but not as a Bowline gateway does.`);
}

function bodyIn(answer: Answer): unknown {
  if ('failure' in answer) throw new CliError(answer.failure.message, answer.failure.suggestion);
  return answer.body;
}

const bodyOf = async (response: Response) => bodyIn(await answerOf(response));
