import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { doorFailure } from '../../../src/core/failure.ts';
import type { Tool } from '../../../src/core/tools.ts';
import type { Followed } from '../../../src/gate/followed-call.ts';
import { callTasks, type TaskPorts } from '../../../src/surfaces/call-tasks.ts';
import { TASK_KEPT_MS, type TaskBegun } from '../../../src/surfaces/tasks.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ada: Caller = { principal: 'ada', client: 'tests', via: 'mcp', scopes: new Set(['read', 'machine']) };
const OK: Result = { kind: 'ok', output: {} };

/** Tasks of one tool, whose call a machine has at once and that ends when the test says so. */
function open(contract: Tool['contract'] = catalogue.run_in_terminal) {
  const ended = Promise.withResolvers<Result>();
  const seen = { signal: undefined as AbortSignal | undefined, asked: 0, cancelled: [] as string[] };
  let isLetIn = true;
  const tool = {
    contract,
    call: (_: unknown, caller: Caller) => {
      seen.signal = caller.signal;
      caller.begun?.('call_1');
      caller.signal?.addEventListener('abort', () =>
        ended.resolve({ kind: 'failed', failure: doorFailure('cancelled') }),
      );
      return ended.promise;
    },
  } as unknown as Tool;
  const ports: TaskPorts = {
    gate: () => ({
      followed: async () => {
        seen.asked++;
        return null;
      },
      withdraw: async () => undefined,
    }),
    machines: {
      outcome: async () => {
        seen.asked++;
        return undefined;
      },
      cancel: async (id) => void seen.cancelled.push(id),
    },
    find: async () => tool,
    isLetIn: async () => isLetIn,
    origin: 'https://bowline.example',
    key: stateKey,
    later: (work) => void work,
  };
  return {
    ...{ tasks: callTasks(ports), tool, seen },
    /** Tasks whose approval is in that state. */
    following: (found: Tool, followed: Followed) =>
      callTasks({
        ...{ ...ports, find: async () => found },
        gate: () => ({ ...ports.gate(), followed: async () => followed }),
      }),
    end: () => ended.resolve(OK),
    shutOut: () => {
      isLetIn = false;
    },
  };
}

async function begun(rig: ReturnType<typeof open>, caller = ada): Promise<string> {
  const running = rig.tasks.run(rig.tool, {}, caller);
  await vi.advanceTimersByTimeAsync(1_500);
  const task = (await running) as TaskBegun;
  expect(task).toMatchObject({ kind: 'task', state: { status: 'working' } });
  return task.taskId;
}

describe('a call that a machine has', () => {
  it('is answered with its end if that comes soon, and else is a task', async () => {
    const soon = open();
    const running = soon.tasks.run(soon.tool, {}, ada);
    await vi.advanceTimersByTimeAsync(1_499);
    soon.end();
    expect(await running).toBe(OK);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
    await begun(open());
  });

  it('ends when its caller leaves before it is a task, and goes on when they leave later', async () => {
    const leaving = new AbortController();
    const early = open();
    const running = early.tasks.run(early.tool, {}, { ...ada, signal: leaving.signal });
    leaving.abort();
    expect(await running).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    const later = new AbortController();
    const rig = open();
    await begun(rig, { ...ada, signal: later.signal });
    later.abort();
    expect(rig.seen.signal?.aborted).toBe(false);
  });

  it('ends if its caller was gone already', async () => {
    const rig = open();
    const running = rig.tasks.run(rig.tool, {}, { ...ada, signal: AbortSignal.abort() });
    // The tool sees a signal that is aborted, as the door does.
    expect(rig.seen.signal?.aborted).toBe(true);
    rig.end();
    await running;
  });

  it('ends soon after its caller was shut out', async () => {
    const rig = open();
    await begun(rig);
    rig.shutOut();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(rig.seen.signal?.aborted).toBe(true);
  });

  it('is cancelled by its own caller alone', async () => {
    const rig = open();
    const id = await begun(rig);
    expect(await rig.tasks.cancel(id, { ...ada, principal: 'bob' })).toBe(false);
    expect(rig.seen.cancelled).toEqual([]);
    expect(await rig.tasks.cancel(id, ada)).toBe(true);
    expect(rig.seen.cancelled).toEqual(['call_1']);
  });

  it('can be asked about for a day', async () => {
    const rig = open();
    const id = await begun(rig);
    const made = Date.now();
    for (const [ms, isKnown] of [
      [TASK_KEPT_MS - 1, true],
      [TASK_KEPT_MS, false],
      [TASK_KEPT_MS + 1, false],
    ] as const) {
      vi.setSystemTime(made + ms);
      expect((await rig.tasks.get(id, ada)) !== undefined, String(ms)).toBe(isKnown);
    }
  });

  it('works while it is on its way to its machine, and later nobody knows', async () => {
    const rig = open();
    const id = await begun(rig);
    expect(await rig.tasks.get(id, ada)).toMatchObject({ status: 'working' });
    vi.setSystemTime(Date.now() + 11_000);
    expect(await rig.tasks.get(id, ada)).toMatchObject({
      status: 'completed',
      result: { kind: 'failed', failure: { code: 'outcome_unknown' } },
    });
  });
});

describe('a call with a yes that is over the limit of calls a minute', () => {
  it('has not ended, because nothing that ended may run after that', async () => {
    const ends: Result[] = [
      { kind: 'failed', approval: 'apr_1', failure: doorFailure('approval_required') },
      { kind: 'failed', failure: doorFailure('rate_limited', { message: 'Not yet.' }) },
      OK,
    ];
    const rig = open();
    const call = async () => ends.shift() ?? OK;
    const tool = { ...rig.tool, call } as unknown as Tool;
    const yes = {
      ...{ code: 'AAAA-BBBB', tool: 'run_in_terminal', state: 'approved' as const, note: null, ran: null },
      ...{ openedAt: 1, changedAt: 2, call: { sent: '{}', machine: null, root: null } },
    };
    const tasks = rig.following(tool, yes as unknown as Followed);
    const { taskId } = (await tasks.run(tool, {}, ada)) as TaskBegun;
    expect(await tasks.get(taskId, ada)).toMatchObject({ status: 'working', message: 'Not yet.' });
    expect(await tasks.get(taskId, ada)).toMatchObject({ status: 'completed', result: OK });
  });
});

describe('names that nobody was given', () => {
  it('cost no look at any store', async () => {
    const rig = open();
    const id = await begun(rig);
    for (const taskId of ['', 'a~b~c~d', `${id}x`, id.replace(/^c/, 'a')]) {
      expect(await rig.tasks.get(taskId, ada)).toBeUndefined();
      expect(await rig.tasks.cancel(taskId, ada)).toBe(false);
      expect(await rig.tasks.answer(taskId, {}, ada)).toBe(false);
    }
    expect(await rig.tasks.get(id, { ...ada, principal: 'bob' })).toBeUndefined();
    expect(rig.seen.asked).toBe(0);
  });
});

describe('a read', () => {
  it('is never a task, because nothing keeps its answer', async () => {
    const rig = open(catalogue.read_file);
    const running = rig.tasks.run(rig.tool, {}, ada);
    await vi.advanceTimersByTimeAsync(60_000);
    rig.end();
    expect(await running).toBe(OK);
    expect(rig.seen.signal).toBeUndefined();
  });
});
