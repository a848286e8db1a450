import type { Failure } from '../core/failure.ts';
import type { AuthPorts } from './auth-ports.ts';
import { type OwnerVisit, visitOf } from './owner-session.ts';
import { giveSession } from './session-cookie.ts';

/** How long a proof that the owner is at the keyboard counts. */
export const FRESH_MS = 5 * 60_000;

/** Whether this session has just shown that it is the owner's: by signing in, a passkey, or the owner key again. */
export function hasFreshProof({ session }: OwnerVisit, now: number = Date.now()): boolean {
  return session.provenAt !== null && now - session.provenAt < FRESH_MS;
}

/**
 * Notes that the owner has shown that it is them. The session gets another secret at that moment: a copy of the
 * old cookie, which somebody may have had for days, ends here instead of becoming proven as well.
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
  message: 'This needs a sign that it is you at the keyboard, now.',
  suggestion: 'Confirm with your passkey, or give the owner key once more, and do it within five minutes.',
};
