import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watch } from '../../../src/owner/credential-watch.ts';

const DAY_MS = 86_400_000;
const QUIET_MS = 600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watched request, its store, and the line on which the owner's object tells of changes. */
function held({ lags = false, endsIn = 30 * DAY_MS } = {}) {
  const endsAt = Date.now() + endsIn;
  const store = { counts: true, answers: true, isReachable: true };
  const looked = vi.fn(async () => {
    if (!store.answers) throw new Error('the object cannot be reached');
    return store.counts && Date.now() < endsAt ? endsAt : undefined;
  });
  let news = Promise.withResolvers<string | undefined>();
  let lines = 0;
  const close = vi.fn();
  const listen = vi.fn(async () => {
    if (!store.isReachable) throw new Error('the object cannot be reached');
    lines += 1;
    return { next: () => news.promise, close };
  });
  const shutOut = vi.fn();
  const leash = watch({ endsAt: looked, lags }, shutOut, listen);
  const tell = async (text: string | undefined) => {
    const { resolve } = news;
    news = Promise.withResolvers();
    resolve(text);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { store, looked, listen, close, shutOut, leash, tell, lines: () => lines };
}

describe('a request that lasts', () => {
  it.each([
    [false, 1 + DAY_MS / QUIET_MS],
    [true, 31 + DAY_MS / QUIET_MS],
  ])(
    'asks for a day whether its credential counts, if its store lags: %s, at most %i times',
    async (lags, most) => {
      const { looked, lines, shutOut, leash } = held({ lags });
      await vi.advanceTimersByTimeAsync(DAY_MS);
      expect(looked.mock.calls.length).toBeLessThanOrEqual(most);
      expect([lines(), shutOut.mock.calls.length]).toEqual([1, 0]);
      leash.letGo();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it.each([false, true])(
    'ends at once when the object tells that its credential ended, lagging: %s',
    async (lags) => {
      const { store, tell, shutOut, leash, close } = held({ lags });
      await vi.advanceTimersByTimeAsync(100_000);
      store.counts = false;
      await tell('look');
      expect(shutOut).toHaveBeenCalledTimes(1);
      expect(await leash.ended).toBe(true);
      expect(close).toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it.each([1, -1])('goes on when the clock is set while somebody looks: by %i hours', async (hours) => {
    const { looked, shutOut } = held();
    looked.mockImplementationOnce(async () => {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      throw new Error('the object cannot be reached');
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looked.mock.calls.length).toBeGreaterThan(1);
    expect(shutOut).not.toHaveBeenCalled();
  });

  it('ends within five seconds in its first minute, told or not', async () => {
    const { store, shutOut } = held({ lags: true });
    await vi.advanceTimersByTimeAsync(31_000);
    store.counts = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(shutOut).toHaveBeenCalledTimes(1);
  });

  it('looks again for a minute after news, because a store with copies may still say what was', async () => {
    const { store, tell, looked, shutOut } = held({ lags: true });
    await vi.advanceTimersByTimeAsync(100_000);
    const before = looked.mock.calls.length;
    await tell('look');
    await vi.advanceTimersByTimeAsync(50_000);
    expect(looked.mock.calls.length).toBeGreaterThan(before + 20);
    store.counts = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(shutOut).toHaveBeenCalledTimes(1);
  });

  it('goes on when the news was about another credential', async () => {
    const { tell, looked, shutOut } = held();
    await vi.advanceTimersByTimeAsync(10_000);
    const before = looked.mock.calls.length;
    for (let n = 1; n <= 5; n++) {
      await tell('look');
      expect(looked.mock.calls.length).toBe(before + n);
    }
    expect(shutOut).not.toHaveBeenCalled();
  });

  it('ends when its credential runs out, though nobody tells', async () => {
    const { shutOut } = held({ endsIn: 20_500 });
    await vi.advanceTimersByTimeAsync(20_499);
    expect(shutOut).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(shutOut).toHaveBeenCalledTimes(1);
  });

  it('looks every two seconds while it has no line, and listens again once it can', async () => {
    const { store, tell, looked, lines, shutOut } = held();
    store.isReachable = false;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(looked.mock.calls.length).toBeGreaterThanOrEqual(9);
    store.isReachable = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lines()).toBe(1);
    // The line breaks: look at once, on a new one.
    store.counts = false;
    await tell(undefined);
    expect([lines(), shutOut.mock.calls.length]).toEqual([2, 1]);
  });

  it('ends when nobody can say for some seconds whether its credential counts', async () => {
    const { store, tell, shutOut } = held();
    await vi.advanceTimersByTimeAsync(10_000);
    store.answers = false;
    store.isReachable = false;
    await tell(undefined);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(shutOut).toHaveBeenCalledTimes(1);
  });
});
