import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret nobody can guess, with a prefix by which people and scanners know what it is. */
export function newSecret(prefix: 'bwl_owner' | 'bwl_pat' | 'bwl_sess'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** How a secret is kept. Plain SHA-256 is enough for 32 random bytes; a password would need more. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in a time that does not depend on where two hashes differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The token that a page's forms carry, made from a cookie's value so that nothing has to be stored. */
export function csrfTokenFor(cookieValue: string): string {
  return createHash('sha256').update(`csrf:${cookieValue}`).digest('base64url');
}
