import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { doorFailure } from '../../../src/core/failure.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { call, failureIn, reading, slow, WatchedDoor } from '../../support/tools.ts';

type Slow = Handler<typeof slow, undefined>;

/** A handler that waits until the test lets it go on. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const handler: Slow = async ({ id }, { ok }) => {
    await promise;
    return ok({ text: id });
  };
  return { handler, resolve, reject };
}

const thrown = (): never => {
  throw new Error('no');
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('every call is settled once, last, with the result that its caller gets', () => {
  const endings: Record<string, Slow> = {
    success: ({ id }, { ok }) => ok({ text: id }),
    failure: (_, { fail }) => fail('unavailable'),
    question: (_, { ask }) => ask({}, 'state'),
    exception: thrown,
    rejection: async () => thrown(),
    'malformed output': () => ({ kind: 'ok', output: {} as never }),
    'nothing at all': () => undefined as never,
  };
  it.each(Object.entries(endings))('handler: %s', async (_, handler) => {
    const door = new WatchedDoor();
    const result = await call(door, slow, handler);
    expect(door.settled.map((end) => end.result)).toEqual([result]);
    expect(door.settled[0]?.result).toBe(result);
    expect(door.log.at(-1)).toBe('settle');
  });

  const gates: Record<string, WatchedDoor['admission']> = {
    refuses: () => ({ kind: 'failed', failure: doorFailure('rate_limited') }),
    throws: thrown,
    rejects: async () => thrown(),
  };
  it.each(Object.entries(gates))('gate: %s', async (_, admission) => {
    const door = new WatchedDoor();
    door.admission = admission;
    const result = await call(door, slow, thrown);
    expect(result.kind).toBe('failed');
    expect(door.settled).toHaveLength(1);
    expect(door.settled[0]?.result).toBe(result);
  });

  it('and not again when a handler ends after its deadline', async () => {
    const door = new WatchedDoor();
    const { handler, resolve } = held();
    const result = call(door, slow, handler);
    await vi.advanceTimersByTimeAsync(1_500);
    resolve();
    expect(failureIn(await result).code).toBe('timeout');
    expect(door.settled).toHaveLength(1);
  });
});

describe('the deadline', () => {
  it('ends a call when the time of its contract is up and not before', async () => {
    const done = vi.fn();
    void call(new WatchedDoor(), reading, () => new Promise<never>(() => {})).then(done);
    await vi.advanceTimersByTimeAsync(1_499);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledExactlyOnceWith({
      kind: 'failed',
      failure: doorFailure('timeout', { message: 'shelf_read did not finish within 1.5 s.' }),
    });
  });

  it('leaves unknown whether a tool took effect that changes something, and does not say to try again', async () => {
    const writing = { ...reading, risk: 'safe_write' as const };
    const result = call(new WatchedDoor(), writing, () => new Promise<never>(() => {}));
    await vi.advanceTimersByTimeAsync(1_500);
    const failure = failureIn(await result);
    expect(failure).toMatchObject({ code: 'outcome_unknown', call_id: 'call_1' });
    expect(failure.message).toMatch(/^shelf_read did not finish within 1\.5 s\./);
    expect(failure.suggestion).not.toMatch(/try again/i);
  });

  it("is reported in the tool's own words where its contract has some", async () => {
    const result = call(new WatchedDoor(), slow, held().handler);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(failureIn(await result)).toEqual({
      code: 'timeout',
      http_status: 504,
      message: 'shelf_wait did not finish within 1.5 s.',
      suggestion: 'Walk faster.',
    });
  });

  it('leaves no timer behind a call that ended in time', async () => {
    const { handler, resolve, reject } = held();
    const ends = [call(new WatchedDoor(), slow, handler), call(new WatchedDoor(), slow, handler)];
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(2);
    resolve();
    reject(new Error('too late to matter'));
    await Promise.all(ends);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['looked at from the start', true],
    ['looked at only afterwards', false],
  ])("aborts the handler's signal, %s", async (_, early) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<AbortSignal>();
    const result = call(new WatchedDoor(), slow, async (__, context) => {
      if (early) expect(context.signal.aborted).toBe(false);
      await promise;
      seen.resolve(context.signal);
      return context.ok({ text: '' });
    });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(failureIn(await result).code).toBe('timeout');
    resolve();
    const signal = await seen.promise;
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toEqual(new Error('shelf_wait did not finish within 1.5 s.'));
  });

  it('makes nothing of a handler that rejects after it', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { handler, reject } = held();
    const door = new WatchedDoor();
    const result = call(door, slow, handler);
    await vi.advanceTimersByTimeAsync(1_500);
    reject(new Error('too late'));
    // Node reports unhandled rejections before it turns to the next macrotask.
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(failureIn(await result).code).toBe('timeout');
    expect(unhandled).not.toHaveBeenCalled();
    expect(door.settled).toHaveLength(1);
  });
});

describe('a caller who leaves', () => {
  it('before the handler starts keeps it from starting', async () => {
    const handler = vi.fn(held().handler);
    const result = await call(new WatchedDoor(), slow, handler, undefined, { signal: AbortSignal.abort() });
    expect(failureIn(result)).toEqual(doorFailure('cancelled'));
    expect(handler).not.toHaveBeenCalled();
  });

  it('while the gate decides keeps it from starting', async () => {
    const door = new WatchedDoor();
    const leaving = new AbortController();
    door.admission = () => {
      leaving.abort();
      return 'admitted';
    };
    const handler = vi.fn(held().handler);
    const result = await call(door, slow, handler, undefined, { signal: leaving.signal });
    expect(failureIn(result).code).toBe('cancelled');
    expect(handler).not.toHaveBeenCalled();
  });

  it('while it runs ends the call and aborts its signal', async () => {
    const leaving = new AbortController();
    let signal: AbortSignal | undefined;
    const never = new Promise<never>(() => {});
    const result = call(
      new WatchedDoor(),
      slow,
      (_, context) => {
        signal = context.signal;
        return never;
      },
      undefined,
      { signal: leaving.signal },
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(signal?.aborted).toBe(false);
    leaving.abort();
    expect(failureIn(await result)).toEqual(doorFailure('cancelled'));
    expect(signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('in the very moment in which the handler starts ends the call all the same', async () => {
    const leaving = new AbortController();
    const start: Slow = () => {
      leaving.abort();
      return new Promise<never>(() => {});
    };
    const result = call(new WatchedDoor(), slow, start, undefined, { signal: leaving.signal });
    // Were it not heard, the deadline would end the call by another name.
    await vi.advanceTimersByTimeAsync(1_500);
    expect(failureIn(await result).code).toBe('cancelled');
  });

  it('is listened to no longer than the call lasts', async () => {
    const { signal } = new AbortController();
    const { handler, resolve } = held();
    const result = call(new WatchedDoor(), slow, handler, undefined, { signal });
    await vi.advanceTimersByTimeAsync(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    resolve();
    await result;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
