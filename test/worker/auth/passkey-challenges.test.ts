import { describe, expect, it } from 'vitest';
import { newChallenge, takeChallenge } from '../../../src/auth/passkey-store.ts';
import { limits } from '../../../src/auth/throttle.ts';
import { browser, inOwner, newAddress, owner, ticketOf } from './owner.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

describe('the challenge of a passkey ceremony', () => {
  /** Whether one made to confirm in the session `a` counts for what is asked of it. */
  const counts = (purpose: 'register' | 'sign_in' | 'confirm', session: string | null, at = NOW) =>
    inOwner((sql) => takeChallenge(sql, newChallenge(sql, 'confirm', 'a', NOW), purpose, session, at));

  it('counts for its purpose, in its session, for five minutes', async () => {
    expect(await counts('confirm', 'a')).toBe(true);
    expect(await counts('confirm', 'a', NOW + 5 * MINUTE - 1)).toBe(true);
    expect(await counts('confirm', 'a', NOW + 5 * MINUTE)).toBe(false);
  });

  it('counts for no other purpose', async () => {
    expect(await counts('register', 'a')).toBe(false);
    expect(await counts('sign_in', 'a')).toBe(false);
  });

  it('counts in no other session, nor in none', async () => {
    expect(await counts('confirm', 'b')).toBe(false);
    expect(await counts('confirm', null)).toBe(false);
  });

  it('counts once', async () => {
    const taken = await inOwner((sql) => {
      const value = newChallenge(sql, 'sign_in', null, NOW);
      return [1, 2].map(() => takeChallenge(sql, value, 'sign_in', null, NOW));
    });
    expect(taken).toEqual([true, false]);
  });

  it('is given to an address thirty times in five minutes, and not once more', async () => {
    const address = newAddress();
    const visitor = browser(address);
    const csrf = await ticketOf(visitor);
    const asked = { what: `passkey:${address}`, limit: limits.passkeyFrom };
    for (let i = 0; i < 30; i++) expect(await owner().attempt([asked])).toBe(0);
    const refused = await visitor.send('/passkeys/sign-in/options', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrf }),
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
