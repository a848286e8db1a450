import { createHmac, randomBytes } from 'node:crypto';
import { isWithin } from '../core/clock.ts';
import { CHALLENGE_MS } from './passkey-store.ts';
import { sameHash } from './secrets.ts';

/**
 * Makes the challenge for signing in with a passkey. Anybody may ask for one, so it is signed and not stored:
 * asking writes nothing, and needs no limit that strangers could use up.
 */
export function newSignInChallenge(ownerKeyHash: string, now: number = Date.now()): string {
  const at = Buffer.alloc(8);
  at.writeBigUInt64BE(BigInt(now));
  const said = Buffer.concat([randomBytes(32), at]);
  return Buffer.concat([said, sealOf(said, ownerKeyHash)]).toString('base64url');
}

/**
 * Tells whether this gateway made a challenge and it is still valid. The store makes sure that it counts only
 * once.
 */
export function isSignInChallenge(
  value: string,
  ownerKeyHash: string | undefined,
  now: number = Date.now(),
): boolean {
  const bytes = Buffer.from(value, 'base64url');
  if (!ownerKeyHash || bytes.length !== 72) return false;
  const said = bytes.subarray(0, 40);
  const at = Number(said.readBigUInt64BE(32));
  const seal = bytes.subarray(40).toString('hex');
  return sameHash(seal, sealOf(said, ownerKeyHash).toString('hex')) && isWithin(CHALLENGE_MS, at, now);
}

function sealOf(said: Buffer, ownerKeyHash: string): Buffer {
  return createHmac('sha256', `passkey:${ownerKeyHash}`).update(said).digest();
}
