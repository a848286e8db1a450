import { createHmac } from 'node:crypto';
import { readCookie, SESSION_COOKIE, setCookie } from './cookies.ts';
import { sameHash } from './secrets.ts';

/** The secret of a session and, since sessions are stamped, the stamp behind it. */
const SESSION = /^(bwl_sess_[\w-]{43})(?:\.([\w-]{22}))?$/;

/**
 * Gives a session to the browser, with a stamp that only this gateway can make. A request with a good stamp was
 * signed in here once, which is known without asking the store: a flood of made-up cookies costs nothing to tell
 * apart, and never has the owner wait. Whether the session still counts is for the store to say.
 */
export function giveSession(secret: string, ownerKeyHash: string | undefined): string {
  const stamp = stampOf(secret, ownerKeyHash);
  return setCookie(SESSION_COOKIE, stamp === undefined ? secret : `${secret}.${stamp}`);
}

/** The secret in the session cookie, if there is one of the right form. */
export function sessionSecretIn(request: Request): string | undefined {
  return SESSION.exec(readCookie(request, SESSION_COOKIE) ?? '')?.[1];
}

/** Whether the session cookie was given out here, whatever has become of the session since. */
export function isStamped(request: Request, ownerKeyHash: string | undefined): boolean {
  const [, secret, stamp] = SESSION.exec(readCookie(request, SESSION_COOKIE) ?? '') ?? [];
  if (secret === undefined || stamp === undefined) return false;
  return sameHash(stamp, stampOf(secret, ownerKeyHash) ?? '');
}

function stampOf(secret: string, ownerKeyHash: string | undefined): string | undefined {
  if (!ownerKeyHash) return undefined;
  return createHmac('sha256', `session:${ownerKeyHash}`).update(secret).digest('base64url').slice(0, 22);
}
