import { isWithin } from '../core/clock.ts';
import type { Failure } from '../core/failure.ts';
import type { AuthPorts } from './auth-ports.ts';
import { type OwnerVisit, visitOf } from './owner-session.ts';
import { giveSession } from './session-cookie.ts';

/** The time for which a proof of the owner's presence counts. */
export const FRESH_MS = 5 * 60_000;

/**
 * Tells whether this session has just proved that it is the owner's: by signing in, a passkey, or the owner
 * key again.
 */
export function hasFreshProof({ session }: OwnerVisit, now: number = Date.now()): boolean {
  return session.provenAt !== null && isWithin(FRESH_MS, session.provenAt, now);
}

/**
 * Records the owner's proof and gives the session a new secret at that moment. Somebody may have had a copy
 * of the old cookie for days; it ends here, instead of becoming proven as well.
 */
export async function prove(
  { secret }: OwnerVisit,
  { owner, ownerKeyHash }: Pick<AuthPorts, 'owner' | 'ownerKeyHash'>,
): Promise<{ readonly visit: OwnerVisit; readonly cookie: string } | undefined> {
  const renewed = await owner().proveSession(secret);
  if (!renewed) return undefined;
  return { visit: visitOf(renewed), cookie: giveSession(renewed.secret, ownerKeyHash) };
}

export const proofNeeded: Failure = {
  code: 'proof_needed',
  http_status: 403,
  message: 'This needs a fresh proof that it is you.',
  suggestion: 'Confirm with your passkey, or give the owner key once more, and do it within five minutes.',
};
