import { createHmac } from 'node:crypto';
import { readCookie, SESSION_COOKIE, setCookie } from './cookies.ts';
import { sameHash } from './secrets.ts';

/** The secret of a session and, in newer cookies, the stamp behind it. */
const SESSION = /^(bwl_sess_[\w-]{43})(?:\.([\w-]{22}))?$/;

/**
 * Gives a session to the browser, with a stamp that only this gateway can make. A good stamp shows, without
 * asking the store, that the request was once signed in here. So a flood of made-up cookies is cheap to
 * recognise and never makes the owner wait. Only the store says whether the session is still valid.
 */
export function giveSession(secret: string, ownerKeyHash: string | undefined): string {
  const stamp = stampOf(secret, ownerKeyHash);
  return setCookie(SESSION_COOKIE, stamp === undefined ? secret : `${secret}.${stamp}`);
}

/** Reads the secret in the session cookie, if it has the right form. */
export function sessionSecretIn(request: Request): string | undefined {
  return SESSION.exec(readCookie(request, SESSION_COOKIE) ?? '')?.[1];
}

/** Tells whether this gateway made the session cookie, whatever became of the session since. */
export function isStamped(request: Request, ownerKeyHash: string | undefined): boolean {
  const [, secret, stamp] = SESSION.exec(readCookie(request, SESSION_COOKIE) ?? '') ?? [];
  if (secret === undefined || stamp === undefined) return false;
  return sameHash(stamp, stampOf(secret, ownerKeyHash) ?? '');
}

function stampOf(secret: string, ownerKeyHash: string | undefined): string | undefined {
  if (!ownerKeyHash) return undefined;
  return createHmac('sha256', `session:${ownerKeyHash}`).update(secret).digest('base64url').slice(0, 22);
}
