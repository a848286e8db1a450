import { describe, expect, it } from 'vitest';
import { type Bearer, rememberTokens } from '../../../src/owner/bearer.ts';

const bearerUntil = (expiresAt: number): Bearer => ({
  principal: 'token:x',
  client: 'script',
  scopes: new Set(['read']),
  expiresAt,
});

/** A memory over a store that can change, with a clock that stands still until it is moved. */
function isolate(stored: Map<string, Bearer>) {
  const lookups: string[] = [];
  const clock = { at: 1_000_000 };
  const lookup = async (token: string) => {
    lookups.push(token);
    return stored.get(token);
  };
  const memory = rememberTokens(lookup, () => clock.at);
  return { ...memory, clock, lookups };
}

const FAR = Number.MAX_SAFE_INTEGER;

describe('an isolate', () => {
  it('looks a token up every five seconds, however often it is used', async () => {
    const { lookup, lookups, clock } = isolate(new Map([['a', bearerUntil(FAR)]]));
    for (let ms = 0; ms < 5_000; ms += 100) {
      clock.at = 1_000_000 + ms;
      expect(await lookup('a')).toMatchObject({ principal: 'token:x' });
    }
    expect(lookups).toHaveLength(1);
    clock.at = 1_005_000;
    await lookup('a');
    expect(lookups).toHaveLength(2);
  });

  it('stops believing a token at once when the clock is set back', async () => {
    const stored = new Map([['a', bearerUntil(FAR)]]);
    const { lookup, clock } = isolate(stored);
    await lookup('a');
    stored.delete('a');
    clock.at -= 600_000;
    expect(await lookup('a')).toBeUndefined();
  });

  it('stops believing a token that was revoked elsewhere within five seconds', async () => {
    const stored = new Map([['a', bearerUntil(FAR)]]);
    const { lookup, clock } = isolate(stored);
    await lookup('a');
    stored.delete('a');
    clock.at += 4_999;
    expect(await lookup('a')).toBeDefined();
    clock.at += 1;
    expect(await lookup('a')).toBeUndefined();
  });

  it('counts the five seconds from the question, not from the answer, which may be long in coming', async () => {
    const clock = { at: 0 };
    let stored: Bearer | undefined = bearerUntil(FAR);
    const { lookup } = rememberTokens(
      async () => {
        const answer = stored;
        clock.at += 4_000;
        return answer;
      },
      () => clock.at,
    );
    await lookup('a');
    stored = undefined;
    clock.at += 1_000;
    expect(await lookup('a')).toBeUndefined();
  });

  it('stops believing at once a token that was revoked here', async () => {
    const stored = new Map([['a', bearerUntil(FAR)]]);
    const { lookup, forget } = isolate(stored);
    await lookup('a');
    stored.delete('a');
    forget();
    expect(await lookup('a')).toBeUndefined();
  });

  it('does not come to believe it again by an answer that was on its way when it was revoked', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<Bearer | undefined>();
    let stored: Bearer | undefined = bearerUntil(FAR);
    let first = true;
    const { lookup, forget } = rememberTokens(() => {
      if (!first) return Promise.resolve(stored);
      first = false;
      return answer;
    });
    const underWay = lookup('a');
    stored = undefined;
    forget();
    resolve(bearerUntil(FAR));
    await underWay;
    expect(await lookup('a')).toBeUndefined();
  });

  it('believes no token for longer than it lives', async () => {
    const stored = new Map([['a', bearerUntil(1_002_000)]]);
    const { lookup, lookups, clock } = isolate(stored);
    await lookup('a');
    clock.at = 1_001_999;
    await lookup('a');
    expect(lookups).toHaveLength(1);
    clock.at = 1_002_000;
    stored.delete('a');
    expect(await lookup('a')).toBeUndefined();
  });

  it('remembers no token that is no good, so that a good one sent later works at once', async () => {
    const stored = new Map<string, Bearer>();
    const { lookup, lookups } = isolate(stored);
    for (let i = 0; i < 3; i++) expect(await lookup('a')).toBeUndefined();
    expect(lookups).toHaveLength(3);
    stored.set('a', bearerUntil(FAR));
    expect(await lookup('a')).toBeDefined();
  });

  it('does not forget good tokens for a flood of bad ones', async () => {
    const { lookup, lookups } = isolate(new Map([['good', bearerUntil(FAR)]]));
    await lookup('good');
    for (let i = 0; i < 2_000; i++) await lookup(`bad ${i}`);
    await lookup('good');
    expect(lookups.filter((token) => token === 'good')).toHaveLength(1);
  });

  it('remembers 512 tokens and forgets the oldest for one more', async () => {
    const tokens = Array.from({ length: 513 }, (_, i) => `t${i}`);
    const { lookup, lookups } = isolate(new Map(tokens.map((token) => [token, bearerUntil(FAR)])));
    for (const token of tokens) await lookup(token);
    lookups.length = 0;
    for (const token of tokens.slice(1)) await lookup(token);
    expect(lookups).toEqual([]);
    await lookup('t0');
    expect(lookups).toEqual(['t0']);
  });

  it('does not mistake one token for another', async () => {
    const names = ['a', 'A', 'a ', 'aa', '__proto__', 'constructor'];
    const stored = new Map(names.map((name) => [name, { ...bearerUntil(FAR), principal: name }]));
    const { lookup } = isolate(stored);
    for (let round = 0; round < 2; round++) {
      for (const name of names) expect((await lookup(name))?.principal).toBe(name);
    }
  });

  it('passes on a failure to look up, and remembers nothing of it', async () => {
    let fails = true;
    const { lookup } = rememberTokens(async () => {
      if (fails) throw new Error('the store is away');
      return bearerUntil(FAR);
    });
    await expect(lookup('a')).rejects.toThrow('the store is away');
    fails = false;
    expect(await lookup('a')).toBeDefined();
  });
});
