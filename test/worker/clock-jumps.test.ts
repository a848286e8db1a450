import { afterEach, describe, expect, it, vi } from 'vitest';
import { isWithin } from '../../src/core/clock.ts';
import { countPending, decide, nextPending, stateOf } from '../../src/gate/approvals.ts';
import { Waiters } from '../../src/gate/waiters.ts';
import { AddressLimit } from '../../src/http/address-limit.ts';
import { confirmEnrolment, listEnrolments, openEnrolment } from '../../src/owner/enrolments.ts';
import { newChallenge, takeChallenge } from '../../src/owner/passkey-store.ts';
import { hasFreshProof } from '../../src/owner/proof.ts';
import { findSession, openSession } from '../../src/owner/sessions.ts';
import { isSignInChallenge, newSignInChallenge } from '../../src/owner/sign-in-challenge.ts';
import { recordAttempt, waitFor } from '../../src/owner/throttle.ts';
import { createToken, findToken } from '../../src/owner/tokens.ts';
import { inOwner } from './auth/support.ts';
import { admitAt, approvalIn, DAY, gateCall, inNewGate, MINUTE, saidTo } from './gate/gate-calls.ts';

/** The time that a wrong clock shows, and the right one two days before. */
const WRONG = 1_000_000_000_000;
const RIGHT = WRONG - 2 * DAY;
const HOUR = 60 * MINUTE;
const FROM = { method: 'owner_key', agent: 'tests', address: '2001:db8::1' } as const;

afterEach(() => {
  vi.useRealTimers();
});

describe('a clock that was set back by two days', () => {
  it('keeps nobody waiting for calls that it stamped with the wrong time', () =>
    inNewGate((sql) => {
      const hello = { approval: 'never', perMinute: 3 } as const;
      const told = (now: number) => saidTo(admitAt(sql, now, hello));
      expect([1, 2, 3, 4].map(() => told(WRONG))).toEqual([
        'admitted',
        'admitted',
        'admitted',
        'rate_limited',
      ]);
      expect([1, 2, 3, 4].map(() => told(RIGHT))).toEqual([
        'admitted',
        'admitted',
        'admitted',
        'rate_limited',
      ]);
    }));

  it('does not stretch an approval, asked for or given', () =>
    inNewGate((sql) => {
      const asked = approvalIn(admitAt(sql, WRONG, { digest: 'asked' }));
      const given = approvalIn(admitAt(sql, WRONG, { digest: 'given' }));
      decide(sql, given.code, 'approve', 'ada', WRONG);
      expect([stateOf(sql, asked.id, RIGHT), stateOf(sql, given.id, RIGHT)]).toEqual(['expired', 'expired']);
      expect(decide(sql, asked.code, 'approve', 'ada', RIGHT)).toMatchObject({ refused: 'approval_expired' });
      expect(saidTo(admitAt(sql, RIGHT, { digest: 'given' }))).toBe('approval_expired');
      expect([countPending(sql, RIGHT), nextPending(sql, RIGHT)]).toEqual([0, null]);
      expect(saidTo(admitAt(sql, RIGHT, { digest: 'given' }))).toBe('ask');
    }));

  it('answers a repeat with the call that it stamped with the wrong time, and runs nothing twice', () =>
    inNewGate((sql) => {
      const call = () => gateCall({ approval: 'never', idempotencyKey: 'k' });
      expect(saidTo(admitAt(sql, WRONG, call()))).toBe('admitted');
      expect(saidTo(admitAt(sql, RIGHT, call()))).not.toBe('admitted');
    }));

  it('lets a session last twelve hours from now, and no proof count', () =>
    inOwner((sql) => {
      const { secret } = openSession(sql, FROM, WRONG);
      const found = findSession(sql, secret, RIGHT);
      if (!found) throw new Error('the session is gone');
      expect(hasFreshProof({ session: found } as Parameters<typeof hasFreshProof>[0], RIGHT)).toBe(false);
      expect(findSession(sql, secret, RIGHT + 12 * HOUR)).toBeUndefined();
    }));

  it('lets a session that is in use last seven days from now', () =>
    inOwner((sql) => {
      const { secret } = openSession(sql, FROM, WRONG);
      const isThere = Array.from({ length: 15 }, (_, i) => findSession(sql, secret, RIGHT + i * 11.9 * HOUR));
      expect(isThere.map(Boolean)).toEqual([...Array(15).fill(true)]);
      expect(findSession(sql, secret, RIGHT + 7 * DAY)).toBeUndefined();
    }));

  it('lets a token last its days from now', () =>
    inOwner((sql) => {
      const { secret } = createToken(sql, { name: 'tests', scopes: ['read'], days: 3 }, WRONG);
      expect(findToken(sql, secret, RIGHT)).toMatchObject({ createdAt: RIGHT, expiresAt: RIGHT + 3 * DAY });
      expect(findToken(sql, secret, RIGHT + 3 * DAY)).toBeUndefined();
    }));

  it('shuts the owner out for no wrong key of the future', () =>
    inOwner((sql) => {
      const limit = { count: 2, windowMs: 5 * MINUTE };
      for (const at of [WRONG, WRONG]) recordAttempt(sql, 'clock', at);
      expect(waitFor(sql, 'clock', limit, WRONG)).toBe(5 * MINUTE);
      expect(waitFor(sql, 'clock', limit, RIGHT)).toBe(0);
      recordAttempt(sql, 'clock', RIGHT);
      expect(waitFor(sql, 'clock', { ...limit, count: 1 }, RIGHT)).toBe(5 * MINUTE);
    }));

  it('stretches neither a challenge nor the pairing of a machine', () =>
    inOwner((sql) => {
      const challenge = newChallenge(sql, 'confirm', 'session', WRONG);
      expect(takeChallenge(sql, challenge, 'confirm', 'session', RIGHT)).toBe(false);
      const signIn = newSignInChallenge('hash', WRONG);
      expect(isSignInChallenge(signIn, 'hash', WRONG + 1)).toBe(true);
      expect(isSignInChallenge(signIn, 'hash', RIGHT)).toBe(false);
      const asked = { name: 'late', publicKey: 'k', address: '2001:db8::7' };
      const opened = openEnrolment(sql, asked, WRONG);
      if (opened === 'too_many_pending') throw new Error(opened);
      expect(listEnrolments(sql, RIGHT)).toEqual([]);
      const { code } = opened.enrolment;
      expect(confirmEnrolment(sql, { code, publicKey: 'k', name: 'late' }, RIGHT)).toBe('expired');
    }));

  it('turns no address away for refusals of the future', () => {
    const limit = new AddressLimit({ fromOne: 1, fromAll: 10 });
    limit.refused('a', WRONG);
    expect([limit.wait('a', WRONG), limit.wait('a', RIGHT)]).toEqual([60, 0]);
  });

  it('does not take a caller that left for one that is held', async () => {
    vi.useFakeTimers({ now: WRONG });
    const waiters = new Waiters();
    const waited = waiters.waitAgain('approval', 10, 'call');
    await vi.advanceTimersByTimeAsync(10);
    await waited;
    expect(waiters.has('approval')).toBe(true);
    vi.setSystemTime(RIGHT);
    expect(waiters.has('approval')).toBe(false);
  });
});

describe('what lasts some time', () => {
  it('lasts on when the clock goes back by less than a minute, but at most as long again', () => {
    expect([0, 1, MINUTE, MINUTE + 1].map((back) => isWithin(HOUR, WRONG, WRONG - back))).toEqual([
      ...[true, true, true, false],
    ]);
    expect([0, 1_000, 5_000, 5_001].map((back) => isWithin(5_000, WRONG, WRONG - back))).toEqual([
      ...[true, true, true, false],
    ]);
    expect([4_999, 5_000].map((on) => isWithin(5_000, WRONG, WRONG + on))).toEqual([true, false]);
  });
});
