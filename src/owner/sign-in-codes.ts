import { randomBytes } from 'node:crypto';
import { approvalCode, normalizeCode } from '../core/approval.ts';
import { hashSecret } from './secrets.ts';

/** The time in which a code has to be used. */
const SIGN_IN_CODE_MS = 3 * 60_000;

const CODE_CHARS = 8;

/** Makes a code that signs its holder in as the owner, once. The code before it counts no more. */
export function makeSignInCode(sql: SqlStorage, now: number): { code: string; expiresAt: number } {
  const code = approvalCode(randomBytes(CODE_CHARS));
  const expiresAt = now + SIGN_IN_CODE_MS;
  forgetSignInCode(sql);
  sql.exec('INSERT INTO sign_in_code VALUES (?, ?)', hashSecret(code), expiresAt);
  return { code, expiresAt };
}

/** Uses a code up. Tells whether it counted until now. */
export function takeSignInCode(sql: SqlStorage, typed: string, now: number): boolean {
  const hash = hashSecret(normalizeCode(typed));
  return sql.exec('DELETE FROM sign_in_code WHERE hash = ? AND expires_at > ?', hash, now).rowsWritten > 0;
}

/** Makes the code that was not used yet worthless. */
export function forgetSignInCode(sql: SqlStorage): void {
  sql.exec('DELETE FROM sign_in_code');
}

/** Tells whether this is meant as a code, and not as an owner key. */
export function isSignInCode(typed: string): boolean {
  return normalizeCode(typed).length === CODE_CHARS + 1;
}
