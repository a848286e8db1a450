import type { AuthPorts } from './auth-ports.ts';
import type { OwnerVisit } from './owner-session.ts';

/** How long a proof that the owner is at the keyboard counts. */
const FRESH_MS = 5 * 60_000;

/**
 * Whether the owner has just shown that it is them: with a passkey, or by signing in with the key.
 * Asked for once there is a passkey at all; without one, an open session is all the proof there can be.
 */
export async function hasFreshProof(
  { session }: OwnerVisit,
  { owner }: Pick<AuthPorts, 'owner'>,
  now: number = Date.now(),
): Promise<boolean> {
  const shown = Math.max(session.passkeyAt ?? 0, session.method === 'owner_key' ? session.createdAt : 0);
  return now - shown < FRESH_MS || (await owner().passkeys()).length === 0;
}
