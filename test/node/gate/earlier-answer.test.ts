import { describe, expect, it } from 'vitest';
import { runInTerminal } from '../../../contracts/terminal.ts';
import type { Fate } from '../../../src/core/fate.ts';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import type { GateAnswer } from '../../../src/gate/messages.ts';
import { fateOnMachine } from '../../../src/machines/fate.ts';
import type { Machines, OutcomeKept } from '../../../src/machines/reach.ts';
import { stubbedDoor } from '../../support/gate-stub.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { failureIn } from '../../support/tools.ts';

const UNSETTLED = { kind: 'unsettled', seq: 3, callId: 'call_0', code: null } as const;
const old = () => ({ ...UNSETTLED, at: Date.now() - 60_000 });
const young = () => ({ ...UNSETTLED, at: Date.now() });

/** The answer to a repeat of a call without an end, where `fate` is all that is known of it. */
async function repeatOf(answer: GateAnswer, fate?: () => Promise<Fate | undefined>) {
  const answers: GateAnswer[] = [answer, { kind: 'admitted', seq: 9 }];
  const door = stubbedDoor({ admit: async () => answers.shift() ?? answer }, fate ? { fate } : {});
  const tool = door.tools.get('desk_keep');
  if (!tool) throw new Error('There is no desk_keep.');
  return { door, result: await tool.call({ path: 'a', idempotency_key: 'k' }, callerNamed('ada')) };
}

describe('a repeat of a call that has no end in the ledger', () => {
  it('is given the outcome that was found elsewhere, which then stands in the ledger', async () => {
    const ended = { kind: 'ended', result: { kind: 'ok', output: { text: 'done' } }, at: 5 } as const;
    const { door, result } = await repeatOf(old(), async () => ended);
    expect(result).toMatchObject({ kind: 'ok', output: { text: 'done', replayed: true } });
    expect(door.settles).toMatchObject([[{ seq: 3, end: { at: 5, outcome: 'ok' } }]]);
    expect(door.desk.runs).toEqual([]);
  });

  it('leaves an end that the ledger has as it is', async () => {
    const failure = { code: 'full', http_status: 507, message: 'Full.', suggestion: 'Clear it.' };
    const ended = { kind: 'ended', result: { kind: 'failed', failure }, at: 5 } as const;
    const { door, result } = await repeatOf({ ...old(), code: 'cancelled' }, async () => ended);
    expect(failureIn(result)).toEqual({ ...failure, call_id: 'call_0', replayed: true });
    expect(door.settles).toEqual([]);
  });

  it.each<[string, string, GateAnswer, Fate | undefined]>([
    ['it runs', 'call_in_progress', old(), { kind: 'running' }],
    ['nobody knows', 'outcome_unknown', old(), { kind: 'unknown' }],
    ['nobody knows, however soon', 'outcome_unknown', young(), { kind: 'unknown' }],
    [
      'nobody knows how a call went that has ended',
      'outcome_unknown',
      { ...young(), code: 'cancelled' },
      undefined,
    ],
    ['nobody can be asked, and it has just begun', 'call_in_progress', young(), undefined],
    [
      'nobody can be asked, though the tool may still run',
      'outcome_unknown',
      { ...young(), at: Date.now() - 6_000 },
      undefined,
    ],
    ['nobody can be asked, after the time of the tool', 'outcome_unknown', old(), undefined],
  ])('is told that %s: %s', async (_, code, answer, fate) => {
    const { door, result } = await repeatOf(answer, async () => fate);
    expect(failureIn(result)).toMatchObject({ code, call_id: 'call_0' });
    expect(door.desk.runs).toEqual([]);
  });

  it('is not run because nobody could be asked', async () => {
    const { door, result } = await repeatOf(old(), () => Promise.reject(new Error('gone')));
    expect(failureIn(result).code).toBe('outcome_unknown');
    expect(door.reported).toMatchObject([{ where: 'earlier call' }]);
  });

  it('runs if the call is known not to have run', async () => {
    const { door, result } = await repeatOf(old(), async () => ({ kind: 'not_run' }));
    expect(result).toMatchObject({ kind: 'ok' });
    expect(door.admits.map(({ call }) => call.voidedUpTo)).toEqual([0, 3]);
    expect(door.desk.runs).toHaveLength(1);
  });
});

describe('what the machines know of a call', () => {
  const request = { contract: runInTerminal, caller: callerNamed('ada') } as unknown as PreparedCall;
  const kept: OutcomeKept = {
    ...{ tool: 'run_in_terminal', state: 'open', startedAt: 1, finishedAt: null, text: null },
    ...{ machine: 'mini', awaySince: null },
  };
  const fateOf = (known: Partial<OutcomeKept> | undefined, at = 0) => {
    const outcome = async (id: string, principal: string) => {
      expect([id, principal]).toEqual(['call_0', 'ada']);
      return known && { ...kept, ...known };
    };
    return fateOnMachine(request, { callId: 'call_0', at }, { outcome } as unknown as Machines);
  };

  it('is its outcome, whether it went well or not', async () => {
    const { output } = runInTerminal.examples[0];
    const done = { state: 'done', finishedAt: 7, text: JSON.stringify({ kind: 'ok', output }) } as const;
    expect(await fateOf(done)).toEqual({ kind: 'ended', result: { kind: 'ok', output }, at: 7 });
    const failure = { code: 'terminal_off', message: 'Off.', suggestion: 'Turn it on.' };
    const failed = { state: 'failed', text: JSON.stringify({ kind: 'failed', failure }) } as const;
    expect(await fateOf(failed)).toMatchObject({
      result: { failure: { code: 'terminal_off', http_status: 503 } },
    });
  });

  it('is that it runs, or was sent to a machine that is away', async () => {
    const running = await fateOf({});
    expect(running).toMatchObject({ kind: 'running', detail: { message: expect.stringContaining('mini') } });
    const away = await fateOf({ awaySince: 0 });
    expect(away).toMatchObject({ kind: 'unknown' });
    expect(JSON.stringify(away)).toContain('not been connected since 1970-01-01');
  });

  it('is that it did not run only if its machine said so', async () => {
    expect(await fateOf({ state: 'not_run' })).toEqual({ kind: 'not_run' });
    expect(await fateOf({ state: 'unknown' })).toEqual({ kind: 'unknown' });
    expect(await fateOf(undefined)).toEqual({ kind: 'unknown' });
  });

  it('may be nothing yet of a call that is on its way', async () => {
    expect(await fateOf(undefined, Date.now())).toBeUndefined();
  });
});
