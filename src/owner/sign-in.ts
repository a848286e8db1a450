import { doorFailure, type Failure } from '../core/failure.ts';
import { networkOf } from './address.ts';
import type { AuthPorts } from './auth-ports.ts';
import { hashSecret, sameHash } from './secrets.ts';
import type { Session } from './sessions.ts';
import { isSignInCode } from './sign-in-codes.ts';
import { limits } from './throttle.ts';

export type SignedIn = { readonly secret: string; readonly session: Session };

type SignInPorts = Pick<AuthPorts, 'owner' | 'ownerKeyHash' | 'addressOf'>;

/** The form of the owner key: 256 random bits after a prefix. */
const OWNER_KEY = /^bwl_owner_[\w-]{43}$/;

/** Opens a session for whoever has the owner key, or a one-time code. */
export async function signIn(
  said: string,
  request: Request,
  ports: SignInPorts,
): Promise<SignedIn | { readonly failure: Failure }> {
  const { owner, ownerKeyHash, addressOf } = ports;
  const from = { agent: request.headers.get('user-agent') ?? '', address: addressOf(request) };
  if (ownerKeyHash && isSignInCode(said)) {
    // A code is short, so guesses are counted before they are compared. A stranger who uses up the guesses
    // locks codes out, but not the owner key.
    const wait = await owner().attempt([
      { what: `sign_in_code:${networkOf(from.address)}`, limit: limits.signInCodeFrom },
      { what: 'sign_in_code', limit: limits.signInCodeAll },
    ]);
    if (wait > 0) return { failure: tooMany(wait, 'The owner key signs you in at once.') };
    const signedIn = await owner().openSessionByCode(said, from);
    if (signedIn) await owner().forgive(`sign_in_code:${networkOf(from.address)}`);
    return signedIn ?? { failure: wrongCode };
  }
  const failure = await keyRefused(said, request, ports);
  return failure ? { failure } : owner().openSession({ method: 'owner_key', ...from });
}

/**
 * Says why a key is not the owner's. It compares the key before it counts anything: the right key always
 * works, so nobody's wrong keys can keep the owner out. A guesser then has as many guesses as the network
 * carries, so only keys of 256 random bits are compared: at a thousand million guesses a second, guessing
 * would take more than 10^60 years. A comparison costs less than a refusal. The throttle limits what a wrong
 * key costs, which is a write.
 */
export async function keyRefused(
  key: string,
  request: Request,
  { owner, ownerKeyHash, addressOf }: SignInPorts,
): Promise<Failure | undefined> {
  if (!ownerKeyHash) return notSetUp;
  const said = key.trim();
  if (OWNER_KEY.test(said) && sameHash(hashSecret(said), ownerKeyHash)) return undefined;
  const wait = await owner().attempt([
    { what: `owner_key:${networkOf(addressOf(request))}`, limit: limits.ownerKeyFrom },
    { what: 'owner_key', limit: limits.ownerKeyAll },
  ]);
  return wait > 0
    ? tooMany(wait, 'Only wrong keys have to wait: the right one signs you in at once.')
    : wrongKey;
}

export const notSetUp: Failure = {
  code: 'not_set_up',
  http_status: 503,
  message: 'This gateway has no owner yet.',
  suggestion: 'Set its secret OWNER_KEY_HASH; `bowline up` and `bowline deploy` do.',
};

const wrongCode: Failure = {
  code: 'wrong_sign_in_code',
  http_status: 403,
  message: 'That code was used already, or it is too old.',
  suggestion: 'A code works once, for three minutes. Make another, or give the owner key.',
};

const wrongKey: Failure = {
  code: 'wrong_owner_key',
  http_status: 403,
  message: 'That is not the owner key.',
  suggestion: 'It begins with bwl_owner_. `bowline deploy` showed it once; `npm start` names its file.',
};

export function tooMany(waitMs: number, suggestion = 'Wait that long.'): Failure {
  const seconds = Math.ceil(waitMs / 1000);
  return doorFailure('rate_limited', {
    message: `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    suggestion,
    retryAfter: seconds,
  });
}
