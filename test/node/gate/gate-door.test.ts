import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ending, GateAnswer, GateRefusal } from '../../../src/gate/messages.ts';
import { ADMITTED, ASK, OPEN, stubbedDoor } from '../../support/gate-stub.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { failureIn } from '../../support/tools.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const ada = callerNamed('ada');
const never = () => new Promise<never>(() => {});

/** Calls a tool of a door's desk. */
async function call(
  door: ReturnType<typeof stubbedDoor>,
  tool: string,
  args: object = { path: 'a' },
  who = ada,
) {
  const result = await door.tools.get(tool)?.call(args, who);
  if (!result) throw new Error(`there is no ${tool}`);
  return result;
}

describe('what a call costs', () => {
  it('is one journey to the gate before it runs, and none that a read waits for', async () => {
    const door = stubbedDoor({ settle: never });
    expect(await call(door, 'desk_look')).toMatchObject({ kind: 'ok' });
    expect([door.admits.length, door.settles.length, door.waits.length]).toEqual([1, 0, 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(door.settles).toMatchObject([[{ seq: 7, end: { outcome: 'ok' } }]]);
  });

  it('is for a change that its end is on record before it is told', async () => {
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const door = stubbedDoor({ settle: () => written });
    let told = false;
    const answer = call(door, 'desk_keep').then((result) => {
      told = true;
      return result;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([told, door.desk.runs.length]).toEqual([false, 1]);
    resolve();
    expect(await answer).toMatchObject({ kind: 'ok' });
  });

  it('is for one that was turned away nothing that its answer waits for', async () => {
    const door = stubbedDoor({
      settle: never,
      admit: async () => ({ kind: 'refused', code: 'denied_by_rule' }),
    });
    for (const tool of ['desk_look', 'desk_keep']) {
      expect(failureIn(await call(door, tool)).code).toBe('denied_by_rule');
    }
    expect(failureIn(await call(door, 'desk_keep', { path: 5 })).code).toBe('invalid_input');
    expect(door.admits).toHaveLength(2);
  });

  it('is under load not even a journey for its end, which goes with the next call', async () => {
    const door = stubbedDoor();
    await call(door, 'desk_look');
    await call(door, 'desk_look', { path: 5 });
    await call(door, 'desk_look');
    expect(door.admits[1]?.endings).toMatchObject([
      { seq: 7, end: { outcome: 'ok' } },
      { call: { callId: 'call_2' }, end: { outcome: 'failed', code: 'invalid_input' } },
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(door.settles).toHaveLength(1);
    await Promise.all(door.late);
  });
});

describe('when the gate cannot be reached', () => {
  it('nothing runs, and the caller is told no more than a call id', async () => {
    const door = stubbedDoor({ admit: () => Promise.reject(new Error('SQLITE_IOERR at secret.ts')) });
    const failure = failureIn(await call(door, 'desk_look'));
    expect(failure).toMatchObject({ code: 'internal_error', call_id: 'call_1' });
    expect(JSON.stringify(failure)).not.toMatch(/SQLITE|secret/);
    expect(door.desk.runs).toEqual([]);
    expect(door.reported).toMatchObject([{ error: { message: 'SQLITE_IOERR at secret.ts' } }]);
  });

  it('nothing runs on a full disk, and the caller is told that it is full', async () => {
    const door = stubbedDoor({ admit: () => Promise.reject(new Error('SQLITE_FULL at secret.ts')) });
    const failure = failureIn(await call(door, 'desk_look'));
    expect(failure).toMatchObject({ code: 'disk_full', call_id: 'call_1' });
    expect(JSON.stringify(failure)).not.toMatch(/SQLITE|secret/);
    expect(door.desk.runs).toEqual([]);
  });

  it('a change that was made is still told of, and the loss of its record reported', async () => {
    const door = stubbedDoor({ settle: () => Promise.reject(new Error('gone')) });
    expect(await call(door, 'desk_keep')).toMatchObject({ kind: 'ok' });
    expect(door.reported).toMatchObject([{ error: { message: 'gone' }, where: 'call_1' }]);
  });

  it('ends go again with the next journey, marked so that none is written twice', async () => {
    let isDown = true;
    const arrived: Ending[] = [];
    const door = stubbedDoor({
      admit: async (_, endings) => {
        if (isDown && endings.length > 0) throw new Error('gone');
        arrived.push(...endings);
        return ADMITTED;
      },
    });
    await call(door, 'desk_look', { path: 5 });
    expect(failureIn(await call(door, 'desk_look')).code).toBe('internal_error');
    isDown = false;
    expect(await call(door, 'desk_look')).toMatchObject({ kind: 'ok' });
    expect(arrived.map((ending) => 'call' in ending && [ending.call.callId, ending.again])).toEqual([
      ['call_1', true],
      ['call_2', undefined],
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(door.late);
    expect(door.settles.flat()).toHaveLength(1);
  });

  it('a flush that fails is reported, and its ends are not lost', async () => {
    let isDown = true;
    const door = stubbedDoor({
      settle: async () => (isDown ? Promise.reject(new Error('gone')) : undefined),
    });
    await call(door, 'desk_look');
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(door.late);
    expect(door.reported).toMatchObject([{ where: 'ledger' }]);
    isDown = false;
    await call(door, 'desk_look');
    expect(door.admits[1]?.endings).toMatchObject([{ seq: 7, again: true }]);
  });

  it('what waits goes in portions that fit into a message, however much it is', async () => {
    const door = stubbedDoor();
    const whole = { path: 5, content: 'x'.repeat(3_900_000) };
    for (let i = 0; i < 10; i++) await call(door, 'desk_keep', whole);
    const many = { path: 5, more: Array(14).fill('y'.repeat(1_000)) };
    for (let i = 0; i < 1_200; i++) await call(door, 'desk_look', many);
    for (let i = 0; i < 5; i++) await call(door, 'desk_look');
    expect(door.admits.flatMap(({ endings }) => endings).length).toBeGreaterThanOrEqual(1_210);
    for (const { endings } of door.admits) {
      // An object takes messages of 32 MB; a letter may be two bytes.
      expect(JSON.stringify(endings).length).toBeLessThan(16_000_000);
    }
  });
});

describe('what the gate says reaches the caller', () => {
  const refusals: [GateRefusal, number][] = [
    ['denied_by_rule', 403],
    ['approval_denied', 403],
    ['approval_expired', 403],
    ['approval_used', 409],
    ['approval_mismatch', 403],
    ['too_many_pending', 429],
    ['too_many_of_yours', 429],
    ['idempotency_conflict', 409],
    ['rate_limited', 429],
  ];

  it.each(refusals)('%s, with status %d and advice', async (code, http_status) => {
    const door = stubbedDoor({ admit: async () => ({ kind: 'refused', code }) });
    const failure = failureIn(await call(door, 'desk_keep'));
    expect(failure).toMatchObject({ code, http_status });
    expect(failure.message).toMatch(/^[A-Z].*\.$/);
    expect(failure.suggestion).toMatch(/^[A-Z].*\.$/);
    expect(door.desk.runs).toEqual([]);
  });

  it.each([
    [1, 1],
    [999, 1],
    [1_001, 2],
    [59_999, 60],
  ])('that %d ms have to pass, as %d whole seconds', async (retryAfterMs, seconds) => {
    const answer: GateAnswer = { kind: 'refused', code: 'rate_limited', retryAfterMs };
    const door = stubbedDoor({ admit: async () => answer });
    expect(failureIn(await call(door, 'desk_look')).retry_after).toBe(seconds);
  });

  const earlier = { kind: 'earlier', callId: 'call_0', at: 0, outcome: 'ok' } as const;
  it.each([
    [
      'what came of it, and that it is a replay',
      { ...earlier, result: '{"text":"x"}' },
      { kind: 'ok', output: { text: 'x', replayed: true }, meta: { replayed_call: 'call_0' } },
    ],
    [
      'how it failed',
      { ...earlier, outcome: 'failed', result: '{"code":"x"}' },
      { failure: { code: 'x', replayed: true, call_id: 'call_0' } },
    ],
    [
      'that it is not kept',
      { ...earlier, result: null },
      { failure: { code: 'duplicate_call', call_id: 'call_0' } },
    ],
  ] satisfies [string, GateAnswer, object][])(
    'about a call that ran before: %s',
    async (_, answer, result) => {
      const door = stubbedDoor({ admit: async () => answer });
      expect(await call(door, 'desk_keep')).toMatchObject(result);
      expect(door.desk.runs).toEqual([]);
    },
  );
});

it('gives nothing again that the tool could not have answered', async () => {
  const answer = {
    kind: 'earlier',
    callId: 'call_0',
    at: 0,
    outcome: 'ok',
    result: '{"no":"text"}',
  } as const;
  const door = stubbedDoor({ admit: async () => answer });
  expect(failureIn(await call(door, 'desk_keep')).code).toBe('malformed_output');
});

describe('the owner', () => {
  const unheld = callerNamed('ada', { waitsMs: 0 });

  it('is told of an approval when it is opened, and of none twice', async () => {
    let isNew = true;
    const door = stubbedDoor({ admit: async () => ({ ...ASK, isNew }) as GateAnswer });
    await call(door, 'desk_write', { path: 'a' }, unheld);
    isNew = false;
    await call(door, 'desk_write', { path: 'a' }, unheld);
    expect(door.announced).toMatchObject([{ approval: OPEN, request: { input: { path: 'a' } } }]);
  });

  it('who cannot be told holds nothing up', async () => {
    const answer = { ...ASK, isNew: true } as GateAnswer;
    const announce = () => Promise.reject(new Error('no route'));
    const door = stubbedDoor({ admit: async () => answer }, { announce });
    expect(failureIn(await call(door, 'desk_write', { path: 'a' }, unheld)).code).toBe('approval_required');
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(door.late);
    expect(door.reported).toMatchObject([{ where: 'announce', error: { message: 'no route' } }]);
    const slow = stubbedDoor({ admit: async () => answer }, { announce: never });
    expect(failureIn(await call(slow, 'desk_write', { path: 'a' }, unheld)).code).toBe('approval_required');
  });
});

describe('what the gate is told of a call', () => {
  it('is the same however its arguments were ordered, and never less than they say', async () => {
    const door = stubbedDoor();
    await call(door, 'desk_keep', { path: 'a', content: 'b', machine: 'mini', idempotency_key: 'k' });
    await call(door, 'desk_keep', {
      idempotency_key: 'k',
      machine: 'mini',
      content: 'b',
      path: 'a',
      repeat: false,
    });
    const [one, other] = door.admits.map(({ call: { callId: _, ...told } }) => told);
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      principal: 'ada',
      tool: 'desk_keep',
      machine: 'mini',
      risk: 'safe_write',
      approval: 'never',
      perMinute: 1_000,
      args: '{"content":"b","idempotency_key":"k","machine":"mini","path":"a","repeat":false}',
      idempotencyKey: 'k',
      requestName: null,
      voidedUpTo: 0,
      retryOf: null,
    });
  });
});
