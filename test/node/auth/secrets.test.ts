import { timingSafeEqual } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { redact } from '../../../src/core/redact.ts';
import { csrfTokenFor, hashSecret, newSecret, sameHash } from '../../../src/owner/secrets.ts';
import { TEST_OWNER_KEY, TEST_OWNER_KEY_HASH } from '../../support/owner-key.ts';

vi.mock('node:crypto', async (real) => {
  const crypto = await real<typeof import('node:crypto')>();
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) };
});

describe('newSecret', () => {
  it.each(['bwl_owner', 'bwl_pat', 'bwl_sess'] as const)(
    'makes 32 bytes that never come again: %s',
    (prefix) => {
      const made = Array.from({ length: 200 }, () => newSecret(prefix));
      expect(new Set(made).size).toBe(200);
      for (const secret of made) {
        expect(secret).toMatch(new RegExp(`^${prefix}_[A-Za-z0-9_-]{43}$`));
        expect(Buffer.from(secret.slice(prefix.length + 1), 'base64url')).toHaveLength(32);
      }
    },
  );

  it('makes what the redactor knows for a secret', () => {
    for (const prefix of ['bwl_owner', 'bwl_pat', 'bwl_sess'] as const) {
      const secret = newSecret(prefix);
      expect(redact(`a ${secret} b`)).toBe('a [redacted:bowline-key] b');
    }
  });
});

describe('hashSecret', () => {
  it('is SHA-256 in hex, as the set-up writes it', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hashSecret(TEST_OWNER_KEY)).toBe(TEST_OWNER_KEY_HASH);
  });
});

describe('sameHash', () => {
  const hash = hashSecret('a');

  it('says whether two are the same', () => {
    expect(sameHash(hash, hash)).toBe(true);
    expect(sameHash(hash, hashSecret('a'))).toBe(true);
    expect(sameHash('', '')).toBe(true);
    expect(sameHash('é', 'é')).toBe(true);
  });

  it('leaves the comparing to what takes as long for any two of a length', () => {
    const compares = vi.mocked(timingSafeEqual);
    for (const other of [hash, hashSecret('b')]) {
      compares.mockClear();
      sameHash(hash, other);
      expect(compares).toHaveBeenCalledExactlyOnceWith(Buffer.from(hash), Buffer.from(other));
    }
  });

  it('says no for one that differs anywhere, or in its length, and never throws', () => {
    for (let i = 0; i < hash.length; i++) {
      const changed = `${hash.slice(0, i)}${hash[i] === '0' ? '1' : '0'}${hash.slice(i + 1)}`;
      expect(sameHash(hash, changed)).toBe(false);
    }
    for (const other of ['', hash.slice(1), hash.slice(0, -1), `${hash}0`, hash.toUpperCase(), ` ${hash}`]) {
      expect(sameHash(hash, other)).toBe(false);
      expect(sameHash(other, hash)).toBe(false);
    }
    // Two texts of one length in characters and of two in bytes.
    expect(sameHash('é', 'e')).toBe(false);
  });
});

describe('csrfTokenFor', () => {
  it('is the same for the same cookie, another for another, and does not give the cookie away', () => {
    const [one, two] = [newSecret('bwl_sess'), newSecret('bwl_sess')];
    expect(csrfTokenFor(one)).toBe(csrfTokenFor(one));
    expect(csrfTokenFor(one)).not.toBe(csrfTokenFor(two));
    expect(csrfTokenFor(one)).toMatch(/^[\w-]{43}$/);
    expect(one).not.toContain(csrfTokenFor(one));
  });

  it('is not the hash that is kept of the cookie, or whoever sees the store could forge forms', () => {
    const cookie = newSecret('bwl_sess');
    expect(Buffer.from(csrfTokenFor(cookie), 'base64url').toString('hex')).not.toBe(hashSecret(cookie));
  });
});
