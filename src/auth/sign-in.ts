import { doorFailure, type Failure } from '../core/failure.ts';
import { addressOf } from './oauth-server.ts';
import type { OwnerStub } from './owner-stub.ts';
import { hashSecret, sameHash } from './secrets.ts';
import type { Session } from './sessions.ts';
import { limits } from './throttle.ts';

export type SignedIn = { readonly secret: string; readonly session: Session };

/** Opens a session for whoever has the owner key. */
export async function signInWithKey(
  key: string,
  request: Request,
  owner: OwnerStub,
  ownerKeyHash: string | undefined,
): Promise<SignedIn | { readonly failure: Failure }> {
  if (!ownerKeyHash) {
    return {
      failure: {
        code: 'not_set_up',
        http_status: 503,
        message: 'This gateway has no owner yet.',
        suggestion: 'Set its secret OWNER_KEY_HASH; `bowline up` and `bowline deploy` do.',
      },
    };
  }
  const address = addressOf(request);
  const wait = await owner.attempt([
    { what: `owner_key:${address}`, limit: limits.ownerKeyFrom },
    { what: 'owner_key', limit: limits.ownerKeyAll },
  ]);
  if (wait > 0) return { failure: tooMany(wait) };
  if (!sameHash(hashSecret(key.trim()), ownerKeyHash)) {
    return {
      failure: {
        code: 'wrong_owner_key',
        http_status: 403,
        message: 'That is not the owner key.',
        suggestion: 'It begins with bwl_owner_ and was shown once, when this gateway was set up.',
      },
    };
  }
  await owner.forgive(`owner_key:${address}`, 'owner_key');
  return owner.openSession({ method: 'owner_key', agent: request.headers.get('user-agent') ?? '', address });
}

export function tooMany(waitMs: number): Failure {
  const seconds = Math.ceil(waitMs / 1000);
  return doorFailure('rate_limited', {
    message: `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    suggestion: 'Wait that long; a passkey lets you in at once.',
    retryAfter: seconds,
  });
}
