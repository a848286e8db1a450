import { createHmac, randomBytes } from 'node:crypto';
import { CHALLENGE_MS } from './passkey-store.ts';
import { sameHash } from './secrets.ts';

/**
 * The challenge for signing in with a passkey. Anybody may ask for one, so it is signed and not kept: asking
 * writes nothing, and no limit on asking is needed that strangers could spend.
 */
export function newSignInChallenge(ownerKeyHash: string, now: number = Date.now()): string {
  const until = Buffer.alloc(8);
  until.writeBigUInt64BE(BigInt(now + CHALLENGE_MS));
  const said = Buffer.concat([randomBytes(32), until]);
  return Buffer.concat([said, sealOf(said, ownerKeyHash)]).toString('base64url');
}

/** Whether a challenge was made here and is still good. That it counts once is for the store to see to. */
export function isSignInChallenge(
  value: string,
  ownerKeyHash: string | undefined,
  now: number = Date.now(),
): boolean {
  const bytes = Buffer.from(value, 'base64url');
  if (!ownerKeyHash || bytes.length !== 72) return false;
  const said = bytes.subarray(0, 40);
  const seal = bytes.subarray(40).toString('hex');
  return sameHash(seal, sealOf(said, ownerKeyHash).toString('hex')) && said.readBigUInt64BE(32) > BigInt(now);
}

function sealOf(said: Buffer, ownerKeyHash: string): Buffer {
  return createHmac('sha256', `passkey:${ownerKeyHash}`).update(said).digest();
}
