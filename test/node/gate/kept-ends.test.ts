import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptEnds } from '../../../src/gate/kept-ends.ts';
import type { GateAnswer, GateEnd } from '../../../src/gate/messages.ts';
import { stubbedDoor } from '../../support/gate-stub.ts';
import { callerNamed } from '../../support/gate-tools.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FULL = new Error('database or disk is full: SQLITE_FULL');
const ending = (seq: number, result: string | null = null) => {
  const end: GateEnd = { at: 0, outcome: 'ok', code: null, bytes: 1, result };
  return { seq, end };
};

/** Ends before a gate that takes an end only if `refuses` gives nothing for it. */
function keptBefore(refuses: (seq: number) => Error | undefined) {
  const taken: number[] = [];
  const asked: number[][] = [];
  const reported: string[] = [];
  const late: Promise<unknown>[] = [];
  const state = { refuses };
  const kept = new KeptEnds({
    settle: async (ends) => {
      asked.push(ends.map(({ seq }) => seq));
      for (const { seq } of ends) {
        const problem = state.refuses(seq);
        if (problem) throw problem;
        taken.push(seq);
      }
    },
    later: (work) => void late.push(work),
    report: (error) => void reported.push((error as Error).message),
  });
  const write = (...given: Parameters<typeof ending>) => kept.write(ending(...given)).catch(() => undefined);
  return { kept, write, taken, asked, reported, late, state };
}

describe('the end of a change that the gate could not take', () => {
  it('is written as soon as there is room, once', async () => {
    const { kept, taken, state, reported, late } = keptBefore(() => FULL);
    await expect(kept.write(ending(1))).rejects.toThrow('full');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(taken).toEqual([]);
    state.refuses = () => undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(taken).toEqual([1]);
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(late);
    expect([taken, reported]).toEqual([[1], []]);
  });

  it('goes with the next end that the gate takes, however long that lasts', async () => {
    const { write, taken, asked, state } = keptBefore(() => FULL);
    await write(1);
    await write(2);
    await vi.advanceTimersByTimeAsync(600_000);
    const tries = asked.length;
    await vi.advanceTimersByTimeAsync(600_000);
    // Nobody asks for ever.
    expect(asked).toHaveLength(tries);
    state.refuses = () => undefined;
    await write(3);
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toEqual([3, 1, 2]);
  });

  it('goes when the gate lets a call in that it writes down', async () => {
    let isFull = true;
    const answers: GateAnswer[] = [
      { kind: 'admitted', seq: 1 },
      { kind: 'admitted', seq: 2 },
    ];
    const door = stubbedDoor({
      admit: async () => answers.shift() ?? { kind: 'look' },
      settle: async () => (isFull ? Promise.reject(FULL) : undefined),
    });
    await door.tools.get('desk_keep')?.call({ path: 'a' }, callerNamed('ada'));
    await vi.advanceTimersByTimeAsync(600_000);
    isFull = false;
    const before = door.settles.length;
    await door.tools.get('desk_look')?.call({ path: 'a' }, callerNamed('ada'));
    await vi.advanceTimersByTimeAsync(0);
    expect(door.settles.slice(before)).toMatchObject([[{ seq: 1, end: { outcome: 'ok' } }]]);
    expect(door.reported).toMatchObject([{ error: FULL, where: 'call_1' }]);
  });

  it('holds up no other one, and is given up when the gate takes others only', async () => {
    const { write, taken, reported } = keptBefore((seq) => (seq === 1 ? new Error('never') : undefined));
    await write(1);
    for (let seq = 2; seq <= 30; seq++) {
      await write(seq);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(taken).toHaveLength(29);
    expect(reported).toEqual(['The ledger lost the end of call 1 (ok): never']);
  });

  it('stays while the disk is full, however often it is tried', async () => {
    const { write, kept, taken, reported, state } = keptBefore((seq) => (seq === 1 ? FULL : undefined));
    await write(1);
    for (let seq = 2; seq <= 60; seq++) {
      await write(seq);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(reported).toEqual([]);
    state.refuses = () => undefined;
    kept.roomAgain();
    await vi.advanceTimersByTimeAsync(0);
    expect(taken.at(-1)).toBe(1);
  });

  it('does not wait behind one that is too long for the room there is', async () => {
    const { write, taken, reported, state } = keptBefore(() => FULL);
    await write(1, 'x'.repeat(100_000));
    await write(2);
    await write(3);
    state.refuses = (seq) => (seq === 1 ? FULL : undefined);
    for (const seq of [4, 5]) {
      await write(seq);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(taken).toEqual([4, 5, 2, 3]);
    expect(reported).toEqual([]);
  });

  it('is sent by another request if the one that sent it ended too early', async () => {
    let attempts = 0;
    const kept = new KeptEnds({
      settle: async () => {
        attempts += 1;
        if (attempts === 1) throw FULL;
        // A request that is gone never hears of its answer.
        if (attempts === 2) await new Promise(() => undefined);
      },
      later: () => undefined,
      report: () => undefined,
    });
    await kept.write(ending(1)).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(attempts).toBe(2);
    await vi.advanceTimersByTimeAsync(6_000);
    kept.roomAgain();
    await vi.advanceTimersByTimeAsync(0);
    expect(attempts).toBe(3);
  });
});

describe('the ends that are kept', () => {
  it('are at most 1,000: the oldest are given up, with a line in the log', async () => {
    const { write, kept, taken, reported, state } = keptBefore(() => FULL);
    for (let seq = 1; seq <= 1_000; seq++) await write(seq);
    expect(reported).toEqual([]);
    await write(1_001);
    expect(reported).toEqual(['The ledger lost the end of call 1 (ok): too many ends wait']);
    state.refuses = () => undefined;
    kept.roomAgain();
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 2));
  });

  it('hold at most 8,000,000 characters', async () => {
    const { write, kept, taken, reported, state } = keptBefore(() => FULL);
    const whole = 'x'.repeat(250_000);
    for (let seq = 1; seq <= 32; seq++) await write(seq, whole);
    expect(reported).toEqual([]);
    await write(33, 'x');
    expect(reported).toEqual(['The ledger lost the end of call 1 (ok): too many ends wait']);
    state.refuses = () => undefined;
    kept.roomAgain();
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toHaveLength(32);
    // What was taken leaves its room to others.
    state.refuses = () => FULL;
    for (let seq = 101; seq <= 132; seq++) await write(seq, whole);
    expect(reported).toHaveLength(1);
  });

  it('hold no more after one was given up while it was on its way, and came again', async () => {
    const whole = 'x'.repeat(250_000);
    const { promise: hung, resolve: arrive } = Promise.withResolvers<void>();
    let isFull = true;
    const reported: string[] = [];
    const kept = new KeptEnds({
      settle: async ([one]) => {
        if (isFull) throw FULL;
        if (one?.seq === 1) await hung;
      },
      later: () => undefined,
      report: (error) => void reported.push((error as Error).message),
    });
    const write = (...given: Parameters<typeof ending>) =>
      kept.write(ending(...given)).catch(() => undefined);
    await write(1, whole);
    isFull = false;
    kept.roomAgain();
    isFull = true;
    for (let seq = 2; seq <= 33; seq++) await write(seq, whole);
    expect(reported).toHaveLength(1);
    // A repeat of the first call comes to the same end.
    await write(1);
    arrive();
    await vi.advanceTimersByTimeAsync(0);
    await write(34, whole);
    expect(reported).toHaveLength(2);
  });

  it('are one for each call: repeats of a call push no other out', async () => {
    const { write, kept, taken, reported, state } = keptBefore(() => FULL);
    await write(1);
    for (let i = 0; i < 1_000; i++) await write(2, 'x'.repeat(10_000));
    expect(reported).toEqual([]);
    state.refuses = () => undefined;
    kept.roomAgain();
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toEqual([1, 2]);
  });

  it('are tried again by a few requests only, however many they are', async () => {
    const { write, late } = keptBefore(() => FULL);
    for (let seq = 1; seq <= 100; seq++) await write(seq);
    expect(late).toHaveLength(20);
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(late);
    await write(101);
    expect(late).toHaveLength(21);
  });
});
