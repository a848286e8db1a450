import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes a secret that nobody can guess. Its prefix tells people and scanners what it is. */
export function newSecret(prefix: 'bwl_owner' | 'bwl_pat' | 'bwl_sess'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** Hashes a secret for storage. Plain SHA-256 is enough for 32 random bytes; a password would need more. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Makes the token for a page's forms from a cookie's value, so that nothing has to be stored. */
export function csrfTokenFor(cookieValue: string): string {
  return createHash('sha256').update(`csrf:${cookieValue}`).digest('base64url');
}
