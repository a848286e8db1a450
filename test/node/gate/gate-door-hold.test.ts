import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller, Result } from '../../../src/core/call.ts';
import type { GateAnswer } from '../../../src/gate/messages.ts';
import { ADMITTED, ASK, OPEN, stubbedDoor } from '../../support/gate-stub.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { failureIn } from '../../support/tools.ts';

const SECOND = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const inSeconds = () => (performance.now() - began) / SECOND;
let began = 0;

/** A gate whose owner decides after so many seconds, if at all; waiting for it ends then or when its time is up. */
function held(
  decidesAfter = Number.POSITIVE_INFINITY,
  decision: GateAnswer = ADMITTED,
  caller: Partial<Caller> = {},
  silent?: 'silent',
) {
  began = performance.now();
  const admittedAt: number[] = [];
  const door = stubbedDoor({
    admit: async () => {
      admittedAt.push(inSeconds());
      return inSeconds() < decidesAfter ? ASK : decision;
    },
    awaitDecision: (_, ms) => {
      const left = (decidesAfter - inSeconds()) * SECOND;
      return new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(ms, left))));
    },
  });
  const progress: { at: number; said: object }[] = [];
  const end: { at: number; result: Result | undefined } = { at: Number.NaN, result: undefined };
  const call = door.tools
    .get('desk_write')
    ?.call(
      { path: 'a' },
      callerNamed('ada', {
        ...(silent ? {} : { progress: (said) => progress.push({ at: inSeconds(), said }) }),
        ...caller,
      }),
    )
    .then((result) => Object.assign(end, { at: inSeconds(), result }));
  return { ...door, progress, end, call, admittedAt };
}

describe('a call that nobody decides about', () => {
  it('is held for forty seconds and says at once and every ten at most that it is', async () => {
    const { progress, end, waits } = held();
    await vi.advanceTimersByTimeAsync(39_999);
    expect(end.result).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(end.at).toBe(40);
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(40_000);
    const moments = [...progress.map(({ at }) => at), 40];
    expect(moments[0]).toBe(0);
    const gaps = moments.slice(1).map((at, i) => at - (moments[i] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10);
    const amounts = progress.map(({ said }) => said as { progress: number; total: number; message: string });
    expect(amounts.map((said) => said.progress)).toEqual(amounts.map((_, i) => i * 8_000));
    expect(new Set(amounts.map(({ total, message }) => `${total} ${message}`))).toEqual(
      new Set([
        '40000 Waiting for the owner to decide about K7QX-3M9D: https://bowline.example/approvals/K7QX-3M9D',
      ]),
    );
  });

  it.each<[string, number, Partial<Caller>, 'silent'?]>([
    ['less than that', 20, { waitsMs: 20_000 }],
    ['no time at all', 0, { waitsMs: 0 }],
    ['longer over REST', 300, { waitsMs: 300_000, via: 'rest' }, 'silent'],
    ['longer over MCP, and asks for progress', 300, { waitsMs: 300_000, via: 'mcp' }],
    ['longer over MCP, and wants no sign of life', 40, { waitsMs: 300_000, via: 'mcp' }, 'silent'],
    ['just less than the longest', 539, { waitsMs: 539_000, via: 'rest' }],
    ['the longest', 540, { waitsMs: 540_000, via: 'rest' }],
    ['more than the longest', 540, { waitsMs: 541_000, via: 'rest' }],
  ])('is held as long as its client says it waits: %s', async (_, seconds, caller, silent) => {
    const { end } = held(Number.POSITIVE_INFINITY, ADMITTED, caller, silent);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(end.at).toBe(seconds);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'approval_required' });
  });

  it('is then told whom to ask, where, and what to do', async () => {
    const { end, desk, settles, late } = held();
    await vi.advanceTimersByTimeAsync(41_000);
    expect(end.result).toEqual({
      kind: 'failed',
      failure: {
        code: 'approval_required',
        http_status: 403,
        message:
          'The owner has to approve this call first: K7QX-3M9D, at https://bowline.example/approvals/K7QX-3M9D',
        suggestion:
          'Ask the owner to decide about K7QX-3M9D there (or with `bowline approvals approve K7QX-3M9D`), then call again with exactly the same arguments.',
      },
      approval: 'an-id', // for tasks, which follow the approval; no answer shows it
      waiting: { code: 'K7QX-3M9D', address: 'https://bowline.example/approvals/K7QX-3M9D' },
    });
    expect(desk.runs).toEqual([]);
    await Promise.all(late);
    expect(settles).toMatchObject([[{ end: { outcome: 'failed', code: 'approval_required' } }]]);
  });
});

describe('a held call', () => {
  it.each([0.5, 8, 13, 39.5])('runs as soon as it is approved, after %d s', async (seconds) => {
    const { end, desk, admits } = held(seconds);
    await vi.advanceTimersByTimeAsync(41_000);
    expect(end.at).toBeCloseTo(seconds);
    expect(end.result).toMatchObject({ kind: 'ok' });
    expect(desk.runs).toHaveLength(1);
    // Every time, the very same call is asked about.
    expect(new Set(admits.map(({ call }) => JSON.stringify(call))).size).toBe(1);
  });

  it.each([
    [{ kind: 'refused', code: 'approval_denied' }, 'approval_denied'],
    [{ kind: 'refused', code: 'approval_expired' }, 'approval_expired'],
    [{ kind: 'refused', code: 'rate_limited', retryAfterMs: 1_500 }, 'rate_limited'],
  ] satisfies [GateAnswer, string][])('ends as the gate says: %o', async (answer, code) => {
    const { end, desk } = held(9, answer);
    await vi.advanceTimersByTimeAsync(41_000);
    expect(end.at).toBeCloseTo(9);
    expect(end.result && failureIn(end.result)).toMatchObject({ code });
    expect(desk.runs).toEqual([]);
  });

  it.each([
    ['before the yes', Number.POSITIVE_INFINITY],
    ['in the moment of the yes', 10],
  ])('whose caller left %s ends at once and is withdrawn', async (_, decidesAfter) => {
    const gone = new AbortController();
    const { end, desk, admittedAt, left, answered } = held(decidesAfter, ADMITTED, { signal: gone.signal });
    await vi.advanceTimersByTimeAsync(9_999);
    gone.abort();
    await vi.advanceTimersByTimeAsync(1);
    expect(end.at).toBeLessThanOrEqual(10);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(Math.max(...admittedAt)).toBeLessThan(10);
    expect(desk.runs).toEqual([]);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'cancelled' });
    expect([left, answered]).toEqual([[[OPEN.id, 'call_1']], []]);
  });

  it('whose caller has left already is not held', async () => {
    const { end, waits, admits, left } = held(0.1, ADMITTED, { signal: AbortSignal.abort() });
    await vi.advanceTimersByTimeAsync(0);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'cancelled' });
    expect([waits, admits.length, left]).toEqual([[], 1, [[OPEN.id, 'call_1']]]);
  });

  it('that was answered has its approval stay open', async () => {
    const { answered, left } = held(Number.POSITIVE_INFINITY, ADMITTED, { waitsMs: 0 });
    await vi.advanceTimersByTimeAsync(0);
    expect([answered, left]).toEqual([[OPEN.id], []]);
  });

  it('needs nobody who listens to its progress', async () => {
    const { end } = held(13);
    const deaf = stubbedDoor({ admit: async () => (deaf.admits.length > 1 ? ADMITTED : ASK) });
    const result = deaf.tools.get('desk_write')?.call({ path: 'a' }, callerNamed('ada'));
    await vi.advanceTimersByTimeAsync(41_000);
    expect(await result).toMatchObject({ kind: 'ok' });
    expect(end.result).toMatchObject({ kind: 'ok' });
  });

  it('goes a new way to the gate every time, since the old one may be broken', async () => {
    let broken = 0;
    const door = stubbedDoor({
      admit: async () => (broken > 1 ? ADMITTED : ASK),
      awaitDecision: async () => {
        broken += 1;
        throw new Error('reset');
      },
    });
    const before = door.ways();
    const result = door.tools.get('desk_write')?.call({ path: 'a' }, callerNamed('ada'));
    await vi.advanceTimersByTimeAsync(0);
    expect(await result).toMatchObject({ kind: 'ok' });
    expect(door.ways() - before).toBeGreaterThanOrEqual(broken * 2);
    expect(door.reported).toEqual([]);
  });
});

describe('a client that can ask its person', () => {
  const asks = { url: false, form: false, sampling: true, roots: true };

  it.each(['url', 'form'] as const)('by %s is not held at first, only after it has asked', async (mode) => {
    const askable = { ...asks, [mode]: true };
    const first = held(Number.POSITIVE_INFINITY, ADMITTED, { askable });
    await vi.advanceTimersByTimeAsync(0);
    expect(first.end.result).toMatchObject({ kind: 'needs_input', state: OPEN.id });
    expect(first.waits).toEqual([]);
    const answers = { responses: {}, state: OPEN.id };
    const second = held(3, ADMITTED, { askable, answers });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(second.end.result).toMatchObject({ kind: 'ok' });
    expect(second.admits[0]?.call.retryOf).toBe(OPEN.id);
  });

  it('of neither kind is held', async () => {
    const { end } = held(3, ADMITTED, { askable: asks });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(end.result).toMatchObject({ kind: 'ok' });
  });

  it('that declines is told at once to come back', async () => {
    const answers = { responses: { approval: { action: 'decline' } }, state: OPEN.id };
    const { end, waits, answered } = held(3, ADMITTED, { answers });
    await vi.advanceTimersByTimeAsync(0);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'approval_required' });
    expect([waits, answered]).toEqual([[], [OPEN.id]]);
    const nameless = held(3, ADMITTED, { answers: { responses: answers.responses } });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(nameless.end.result).toMatchObject({ kind: 'ok' });
  });
});

describe('a client that can ask its person while the call is held', () => {
  const askable = { url: true, form: false, sampling: false, roots: false };
  /** A client whose person answers so, after so many seconds. */
  function asking(seconds: number, action: string) {
    const questions: { readonly at: number; readonly text: string; readonly signal: AbortSignal }[] = [];
    const ask: Caller['ask'] = (requests, signal) => {
      questions.push({ at: inSeconds(), text: JSON.stringify(requests), signal });
      return new Promise((resolve) =>
        setTimeout(() => resolve({ approval: { action } }), Math.min(seconds, 1_000) * SECOND),
      );
    };
    return { questions, caller: { askable, ask } };
  }

  it('asks once and at once, and runs the call when the owner says yes, answered or not', async () => {
    for (const [seconds, action] of [
      [2, 'accept'],
      [1_000, 'accept'],
      [2, 'cancel'],
    ] as const) {
      const { questions, caller } = asking(seconds, action);
      const { end, desk } = held(20, ADMITTED, caller);
      await vi.advanceTimersByTimeAsync(41_000);
      expect(end).toMatchObject({ at: 20, result: { kind: 'ok' } });
      expect(desk.runs).toHaveLength(1);
      expect(questions).toEqual([
        { at: 0, text: expect.stringContaining('/approvals/K7QX-3M9D'), signal: expect.anything() },
      ]);
      // The question is taken back when the call goes on.
      expect(questions[0]?.signal.aborted).toBe(true);
    }
  });

  it.each(['accept', 'cancel', 'approve', 'yes'])('decides nothing by answering %s', async (action) => {
    const { end, desk, admits, answered } = held(
      Number.POSITIVE_INFINITY,
      ADMITTED,
      asking(1, action).caller,
    );
    await vi.advanceTimersByTimeAsync(41_000);
    expect(end.at).toBe(40);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'approval_required' });
    expect([desk.runs, answered]).toEqual([[], [OPEN.id]]);
    // Nothing of the answer gets to the gate.
    expect(new Set(admits.map(({ call }) => JSON.stringify(call))).size).toBe(1);
  });

  it('is told at once to come back when the client declines, and the approval stays open', async () => {
    const { end, desk, answered, left } = held(9, ADMITTED, asking(1, 'decline').caller);
    await vi.advanceTimersByTimeAsync(41_000);
    expect(end.at).toBe(1);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'approval_required' });
    expect([desk.runs, answered, left]).toEqual([[], [OPEN.id], []]);
  });

  it('is held as others are if asking fails', async () => {
    const ask = () => Promise.reject(new Error('no'));
    const { end, reported } = held(9, ADMITTED, { askable, ask });
    await vi.advanceTimersByTimeAsync(41_000);
    expect(end).toMatchObject({ at: 9, result: { kind: 'ok' } });
    expect(reported).toHaveLength(1);
  });

  it('is withdrawn when its caller leaves', async () => {
    const gone = new AbortController();
    const { questions, caller } = asking(1_000, 'accept');
    const { end, left } = held(30, ADMITTED, { ...caller, signal: gone.signal });
    await vi.advanceTimersByTimeAsync(5_000);
    gone.abort();
    await vi.advanceTimersByTimeAsync(1);
    expect(end.result && failureIn(end.result)).toMatchObject({ code: 'cancelled' });
    expect([left, questions[0]?.signal.aborted]).toEqual([[[OPEN.id, 'call_1']], true]);
  });
});
