import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GateCall, NotedRead, OpenRead } from '../../../src/gate/messages.ts';
import { OpenReads, type OpenReadsPort } from '../../../src/gate/open-reads.ts';

const HOUR = 3_600_000;
const call = (callId: string) => ({ callId }) as GateCall;
const noted = (): NotedRead => ({ at: Date.now(), by: 'life', after: 0 });
const end = () => ({ at: Date.now(), outcome: 'ok', code: null, bytes: 1, result: null }) as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openReads(port: Partial<OpenReadsPort> = {}, fails: () => boolean = () => false) {
  const settled: string[] = [];
  const settle = async (reads: unknown[]) => {
    if (fails()) throw new Error('The gate is away.');
    settled.push(...(reads as OpenRead[]).map((read) => read.call.callId));
  };
  const later = vi.fn((work: Promise<unknown>) => void work.catch(() => undefined));
  const reads = new OpenReads({ gate: () => ({ settle, ...port }), later });
  return { reads, settled, later };
}

function endOne(reads: OpenReads, id: string): void {
  const read = noted();
  reads.begin(call(id), read);
  reads.end(call(id), read, end());
}

it.each([HOUR, -HOUR])('sends the end of a read also if the clock is set by %i before', async (jump) => {
  const { reads, settled } = openReads();
  const first = noted();
  reads.begin(call('a'), first);
  reads.end(call('a'), first, end());
  vi.setSystemTime(Date.now() + jump);
  reads.begin(call('b'), noted());
  await vi.advanceTimersByTimeAsync(100);
  expect(settled).toEqual(['a']);
});

it('forgets reads that never ended', () => {
  const { reads } = openReads();
  reads.begin(call('a'), { at: Date.now(), by: 'an earlier life', after: 0 });
  vi.setSystemTime(Date.now() + HOUR);
  reads.begin(call('b'), noted());
  expect(reads.life).toBe('life');
});

it('lets nobody wait for a telling that died with its request', async () => {
  const tell = vi.fn(() => new Promise<NotedRead[]>(() => undefined));
  const { reads } = openReads({ tell });
  reads.begin(call('a'), noted());
  const waiting = [reads.tell(), reads.tell()];
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all(waiting);
  expect(tell).toHaveBeenCalledTimes(1);
  void reads.tell();
  expect(tell).toHaveBeenCalledTimes(2);
});

it('lets two requests send what ends while they wait', async () => {
  const { reads, settled, later } = openReads();
  for (const id of ['a', 'b', 'c', 'd']) endOne(reads, id);
  expect(later).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(20);
  expect(settled).toEqual(['a', 'b', 'c', 'd']);
  endOne(reads, 'e');
  await vi.advanceTimersByTimeAsync(20);
  expect(settled).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('does not count on requests that ended with their timers', async () => {
  const { reads, settled } = openReads();
  for (const id of ['a', 'b', 'c']) endOne(reads, id);
  vi.clearAllTimers();
  vi.setSystemTime(Date.now() + 100);
  endOne(reads, 'd');
  await vi.advanceTimersByTimeAsync(20);
  expect(settled).toEqual(['a', 'b', 'c', 'd']);
});

it('sends all that ended, however many', async () => {
  const { reads, settled } = openReads();
  for (let i = 0; i < 251; i++) endOne(reads, `${i}`);
  await vi.advanceTimersByTimeAsync(20);
  expect(settled).toHaveLength(251);
});

it('sends what ended again if the gate could not take it', async () => {
  let failures = 2;
  const { reads, settled } = openReads({}, () => failures-- > 0);
  for (const id of ['a', 'b', 'c']) endOne(reads, id);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(settled).toEqual(['a', 'b', 'c']);
});
