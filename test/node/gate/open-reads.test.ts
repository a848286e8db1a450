import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GateCall, NotedRead, OpenRead } from '../../../src/gate/messages.ts';
import { OpenReads, type OpenReadsPort } from '../../../src/gate/open-reads.ts';

const HOUR = 3_600_000;
const call = (callId: string) => ({ callId }) as GateCall;
const noted = (): NotedRead => ({ at: Date.now(), by: 'life', after: 0 });
const end = () => ({ at: Date.now(), outcome: 'ok', code: null, bytes: 1, result: null }) as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openReads(port: Partial<OpenReadsPort> = {}) {
  const settled: string[] = [];
  const settle = async (reads: unknown[]) =>
    void settled.push(...(reads as OpenRead[]).map((read) => read.call.callId));
  const reads = new OpenReads({
    gate: () => ({ settle, ...port }),
    later: (work) => void work.catch(() => undefined),
  });
  return { reads, settled };
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
