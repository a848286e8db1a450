import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SharedTimer } from '../../src/core/shared-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A timer, and what it did. */
function started(...waits: readonly number[]) {
  const timer = new SharedTimer();
  const rang: number[] = [];
  const from = Date.now();
  const wait = (ms: number) => timer.after(ms, () => rang.push(Date.now() - from));
  return { timer, rang, wait, callOffs: waits.map(wait) };
}

it('rings for each wait when it is over', async () => {
  const { rang } = started(2_000, 30_000, 1_000);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(999);
  expect(rang).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(rang).toEqual([1_000, 2_000]);
  await vi.advanceTimersByTimeAsync(27_999);
  expect(rang).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(rang).toEqual([1_000, 2_000, 30_000]);
  expect(vi.getTimerCount()).toBe(0);
});

it('takes no further timer for waits that begin a little later, and is at most 50 ms early', async () => {
  const set = vi.spyOn(globalThis, 'setTimeout');
  const { rang, wait } = started(2_000);
  await vi.advanceTimersByTimeAsync(50);
  wait(1_000);
  expect(set).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(950);
  expect(rang).toEqual([1_000]);
});

it('is not earlier than that', async () => {
  const { rang, wait } = started(2_000);
  await vi.advanceTimersByTimeAsync(51);
  wait(1_000);
  await vi.advanceTimersByTimeAsync(949);
  expect(rang).toEqual([]);
  await vi.advanceTimersByTimeAsync(51);
  expect(rang).toEqual([1_051]);
});

it('rings sooner for a shorter wait that comes later', async () => {
  const { rang, wait } = started(2_000);
  await vi.advanceTimersByTimeAsync(300);
  wait(100);
  await vi.advanceTimersByTimeAsync(100);
  expect(rang).toEqual([400]);
  await vi.advanceTimersByTimeAsync(1_600);
  expect(rang).toEqual([400, 2_000]);
});

it('does not ring for what was called off, and leaves no timer behind', async () => {
  const { rang, wait, callOffs } = started(1_000, 2_000);
  callOffs[0]?.();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(rang).toEqual([]);
  callOffs[1]?.();
  expect(vi.getTimerCount()).toBe(0);
  wait(700);
  await vi.advanceTimersByTimeAsync(700);
  expect(rang).toEqual([2_200]);
});

it.each([3_600_000, -3_600_000])('is wrong by a second at most if the clock is set by %i', async (jump) => {
  const { rang, wait } = started(30_000);
  await vi.advanceTimersByTimeAsync(1_500);
  vi.setSystemTime(Date.now() + jump);
  wait(2_000);
  await vi.advanceTimersByTimeAsync(1_449);
  expect(rang).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_051);
  expect(rang).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(26_000);
  expect(rang).toHaveLength(2);
});

it('takes new waits from what it rings for', async () => {
  const { timer, rang, wait } = started();
  timer.after(500, () => wait(500));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rang).toEqual([1_000]);
});
