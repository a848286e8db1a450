import { describe, expect, it } from 'vitest';
import { newChallenge, spendSignInChallenge, takeChallenge } from '../../../src/owner/passkey-store.ts';
import { isSignInChallenge, newSignInChallenge } from '../../../src/owner/sign-in-challenge.ts';
import { browser, inOwner, newAddress, ticketOf } from './owner.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

describe('the challenge of a passkey ceremony', () => {
  /** Whether one made to confirm in the session `a` counts for what is asked of it. */
  const counts = (purpose: 'register' | 'confirm', session: string, at = NOW) =>
    inOwner((sql) => takeChallenge(sql, newChallenge(sql, 'confirm', 'a', NOW), purpose, session, at));

  it('counts for its purpose, in its session, for five minutes', async () => {
    expect(await counts('confirm', 'a')).toBe(true);
    expect(await counts('confirm', 'a', NOW + 5 * MINUTE - 1)).toBe(true);
    expect(await counts('confirm', 'a', NOW + 5 * MINUTE)).toBe(false);
  });

  it('counts for no other purpose', async () => {
    expect(await counts('register', 'a')).toBe(false);
  });

  it('counts in no other session', async () => {
    expect(await counts('confirm', 'b')).toBe(false);
  });

  it('counts once', async () => {
    const taken = await inOwner((sql) => {
      const value = newChallenge(sql, 'confirm', 'a', NOW);
      return [1, 2].map(() => takeChallenge(sql, value, 'confirm', 'a', NOW));
    });
    expect(taken).toEqual([true, false]);
  });
});

describe('the challenge for signing in', () => {
  const HASH = 'a'.repeat(64);

  it('counts for five minutes, at the gateway that made it, as it was made', () => {
    const value = newSignInChallenge(HASH, NOW);
    expect(isSignInChallenge(value, HASH, NOW + 5 * MINUTE - 1)).toBe(true);
    expect(isSignInChallenge(value, HASH, NOW + 5 * MINUTE)).toBe(false);
    expect(isSignInChallenge(value, 'b'.repeat(64), NOW)).toBe(false);
    expect(isSignInChallenge(value, undefined, NOW)).toBe(false);
    const bytes = Buffer.from(value, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(isSignInChallenge(changed.toString('base64url'), HASH, NOW), `byte ${i}`).toBe(false);
    }
    for (const wrong of ['', 'x', value.slice(0, -2), `${value}AA`]) {
      expect(isSignInChallenge(wrong, HASH, NOW), wrong).toBe(false);
    }
  });

  it('is a new one every time, and is spent once', async () => {
    const [one, two] = [newSignInChallenge(HASH, NOW), newSignInChallenge(HASH, NOW)];
    expect(one).not.toBe(two);
    const spent = await inOwner((sql) => [one, two, one].map((it) => spendSignInChallenge(sql, it, NOW)));
    expect(spent).toEqual([true, true, false]);
    // Once it is over by itself, it need not be remembered.
    await inOwner((sql) => {
      spendSignInChallenge(sql, 'later', NOW + 5 * MINUTE);
      expect(sql.exec('SELECT value FROM challenge WHERE value = ?', one).toArray()).toEqual([]);
    });
  });

  it('is given to anybody without end and without writing anything, so that nobody can use the asking up', async () => {
    const visitor = browser(newAddress());
    const csrf = await ticketOf(visitor);
    const ask = () =>
      visitor.send('/passkeys/sign-in/options', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ csrf }),
      });
    const kept = () =>
      inOwner((sql) => [...sql.exec('SELECT * FROM challenge'), ...sql.exec('SELECT * FROM attempt')].length);
    const before = await kept();
    for (let i = 0; i < 200; i++) expect((await ask()).status).toBe(200);
    expect(await kept()).toBe(before);
  });
});
