import { lately } from '../core/clock.ts';

/** At most `count` in any `windowMs`. */
export interface Limit {
  readonly count: number;
  readonly windowMs: number;
}

const MINUTE = 60_000;

/**
 * Limits before sign-in, on what strangers make the gateway write. docs/security.md says who can use up each
 * limit, and whom that shuts out.
 */
export const limits = {
  ownerKeyFrom: { count: 5, windowMs: 5 * MINUTE },
  ownerKeyAll: { count: 60, windowMs: MINUTE },
  signInCodeFrom: { count: 5, windowMs: 5 * MINUTE },
  signInCodeAll: { count: 60, windowMs: MINUTE },
  registerFrom: { count: 20, windowMs: 60 * MINUTE },
  registerAll: { count: 200, windowMs: 60 * MINUTE },
  pairFrom: { count: 10, windowMs: 10 * MINUTE },
  pairAll: { count: 200, windowMs: 10 * MINUTE },
} as const satisfies Record<string, Limit>;

/** Gives the milliseconds until another attempt is allowed; 0 means now. */
export function waitFor(sql: SqlStorage, what: string, { count, windowMs }: Limit, now: number): number {
  const oldest = sql
    .exec<{ at: number }>(
      'SELECT at FROM attempt WHERE what = ? AND at > ? AND at <= ? ORDER BY at DESC LIMIT 1 OFFSET ?',
      what,
      ...lately(windowMs, now),
      count - 1,
    )
    .toArray()[0];
  return oldest ? oldest.at + windowMs - now : 0;
}

export function recordAttempt(sql: SqlStorage, what: string, now: number): void {
  sql.exec('INSERT INTO attempt (what, at) VALUES (?, ?)', what, now);
  // No limit looks back further than an hour.
  sql.exec('DELETE FROM attempt WHERE at <= ? OR at > ?', ...lately(60 * MINUTE, now));
}

export function forgetAttempts(sql: SqlStorage, what: string): void {
  sql.exec('DELETE FROM attempt WHERE what = ?', what);
}
