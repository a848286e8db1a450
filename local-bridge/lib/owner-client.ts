import * as z from 'zod';
import type { TokenScope } from '../../contracts/contract.ts';
import { CliError } from './exit.ts';
import { failureShape, reach } from './gateway-client.ts';

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
  readonly headers: Record<string, string>;
  createToken(asked: NewToken): Promise<z.infer<typeof tokenShape>>;
  /** Calls the owner's API and gives the answer unread. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<unknown>;
  signOut(): Promise<void>;
}

type Asked = Parameters<OwnerSession['call']>;

/** Signs in with the owner key, as the sign-in page does. */
export async function signInAsOwner(url: string, ownerKey: string): Promise<OwnerSession> {
  let session = await openSession(url, ownerKey);
  const earlier: (typeof session)[] = [];
  const sendIn = async (held: typeof session, ...[method, path, body, signal]: Asked) =>
    reach(`${url}/api/owner/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...held },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
  const send: (...asked: Asked) => Promise<Response> = (...asked) => sendIn(session, ...asked);
  const signOut = async () => {
    for (const held of [...earlier, session]) await bodyOf(await sendIn(held, 'DELETE', 'session'));
  };
  const call: OwnerSession['call'] = async (...asked) => {
    const first = await answerOf(await send(...asked));
    if (!('failure' in first) || first.failure.code !== 'proof_needed') return bodyIn(first);
    // A command may run longer than its sign-in counts as a proof, and it has the key. Earlier requests may still wait
    // for an answer, so the old session stays open meanwhile.
    earlier.push(session);
    session = await openSession(url, ownerKey);
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

async function openSession(url: string, ownerKey: string) {
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
  return { cookie, 'x-csrf-token': csrf };
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
