import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdmitQueue } from '../../../src/gate/admit-queue.ts';
import { EndQueue } from '../../../src/gate/end-queue.ts';
import type { Ending, GateAnswer, GateCall, GateReply } from '../../../src/gate/messages.ts';
import { OpenReads } from '../../../src/gate/open-reads.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const callOf = (callId: string, args = '{}'): GateCall => ({
  ...{ callId, args, shownArgs: args, principal: 'ada', client: 'tests', via: 'rest', tool: 'desk_look' },
  ...{
    machine: null,
    machineId: null,
    root: null,
    risk: 'read_only',
    approval: 'never',
    perMinute: 100,
    digest: callId,
  },
  ...{ idempotencyKey: null, requestName: null, voidedUpTo: 0, shown: null, retryOf: null },
});
const admitted = (seq: number): GateAnswer => ({ kind: 'admitted', seq });

/** A queue whose journeys are kept, each with the way to end it. */
function rig() {
  const alone: { id: string; back: PromiseWithResolvers<GateAnswer> }[] = [];
  const groups: { ids: string[]; endings: Ending[]; back: PromiseWithResolvers<GateReply[]> }[] = [];
  const late: Promise<unknown>[] = [];
  const gate = () => ({
    admit: ({ callId }: GateCall) => {
      const back = Promise.withResolvers<GateAnswer>();
      alone.push({ id: callId, back });
      return back.promise;
    },
    admitAll: (calls: GateCall[], endings: Ending[]) => {
      const back = Promise.withResolvers<GateReply[]>();
      groups.push({ ids: calls.map(({ callId }) => callId), endings, back });
      return back.promise;
    },
  });
  const later = (work: Promise<unknown>) => void late.push(work);
  const endings = new EndQueue(async () => undefined, later);
  const reads = new OpenReads({ gate: () => ({ settle: async () => undefined }), later });
  return { queue: new AdmitQueue({ gate, endings, reads, later }), alone, groups, late, endings };
}

describe('calls that come to the gate together', () => {
  it('wait for nobody when they come alone', async () => {
    const { queue, alone, groups } = rig();
    for (const id of ['a', 'b']) {
      const answer = queue.admit(callOf(id));
      alone.at(-1)?.back.resolve(admitted(1));
      expect(await answer).toEqual(admitted(1));
    }
    expect([alone.map(({ id }) => id), groups]).toEqual([['a', 'b'], []]);
  });

  it('share one journey while another is under way, and get each their own answer', async () => {
    const { queue, alone, groups, endings } = rig();
    void queue.admit(callOf('a'));
    endings.add({ seq: 3, end: { at: 0, outcome: 'ok', code: null, bytes: 0, result: null } });
    const [b, c, d] = ['b', 'c', 'd'].map((id) => queue.admit(callOf(id)));
    const failed = expect(c).rejects.toThrow('odd');
    await vi.advanceTimersByTimeAsync(1);
    expect([alone.length, groups[0]?.ids, groups[0]?.endings.length]).toEqual([1, ['b', 'c', 'd'], 1]);
    groups[0]?.back.resolve([admitted(5), { kind: 'threw', message: 'odd' }, admitted(6)]);
    expect([await b, await d]).toEqual([admitted(5), admitted(6)]);
    await failed;
  });

  it('are many before a plain read waits for others', async () => {
    const { queue, alone, groups } = rig();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) void queue.admit({ ...callOf(id), isPlainRead: true });
    await vi.advanceTimersByTimeAsync(1);
    expect([alone.map(({ id }) => id), groups[0]?.ids]).toEqual([ids.slice(0, 4), ids.slice(4)]);
  });

  it('are as many as eight as long as plain reads wait behind a single journey', async () => {
    const { queue, alone, groups } = rig();
    const send = (...ids: string[]) => {
      for (const id of ids) void queue.admit({ ...callOf(id), isPlainRead: true });
      return vi.advanceTimersByTimeAsync(1);
    };
    await send('a', 'b', 'c', 'd', '1', '2', '3', '4', '5', '6', '7', '8');
    for (const { back } of alone) back.resolve(admitted(1));
    await send();
    await send('9');
    expect([alone.length, groups.map(({ ids }) => ids)]).toEqual([4, [[...'12345678'], ['9']]]);
    // That was a group of one, so the next wait for nobody.
    await send('e', 'f');
    expect([alone.length, groups.length]).toEqual([6, 2]);
  });

  it('hear of a journey that failed, all of them', async () => {
    const { queue, groups } = rig();
    void queue.admit(callOf('a'));
    const answers = ['b', 'c'].map((id) => expect(queue.admit(callOf(id))).rejects.toThrow('gone'));
    await vi.advanceTimersByTimeAsync(1);
    groups[0]?.back.reject(new Error('gone'));
    await Promise.all(answers);
  });

  it('are at most 64, and none that is long', async () => {
    const { queue, alone, groups } = rig();
    void queue.admit(callOf('a'));
    for (let i = 0; i < 65; i++) void queue.admit(callOf(`c${i}`));
    void queue.admit(callOf('fits', 'x'.repeat(64 * 1_024)));
    void queue.admit(callOf('long', 'x'.repeat(64 * 1_024 + 1)));
    await vi.advanceTimersByTimeAsync(1);
    expect(alone.map(({ id }) => id)).toEqual(['a', 'long']);
    expect(groups.map(({ ids }) => ids.length)).toEqual([64, 2]);
  });

  it('go alone when the request that was to send them is gone before it did', async () => {
    const { queue, alone, groups } = rig();
    void queue.admit(callOf('a'));
    // The runtime forgets the timers of a request that has ended.
    vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce(() => 0 as never);
    void queue.admit(callOf('leads'));
    const follows = queue.admit(callOf('follows'));
    await vi.advanceTimersByTimeAsync(249);
    expect([alone.length, groups.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    alone[1]?.back.resolve(admitted(2));
    expect([alone[1]?.id, await follows]).toEqual(['follows', admitted(2)]);
  });

  it('are not sent twice when the answer stays away, and do not wait for ever', async () => {
    const { queue, alone, groups } = rig();
    void queue.admit(callOf('a'));
    void queue.admit(callOf('leads'));
    const answer = expect(queue.admit(callOf('follows'))).rejects.toThrow('did not answer');
    await vi.advanceTimersByTimeAsync(30_250);
    await answer;
    expect([alone.length, groups.length]).toEqual([1, 1]);
  });

  it('are kept going when the request that sends them ends early', async () => {
    const { queue, late, groups } = rig();
    void queue.admit(callOf('a'));
    const answer = queue.admit(callOf('b'));
    await vi.advanceTimersByTimeAsync(1);
    groups[0]?.back.resolve([admitted(1)]);
    await answer;
    await expect(Promise.all(late)).resolves.toEqual([undefined]);
  });
});
