import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/core/call.ts';
import type { AskedCard, cardState } from '../../../src/gate/card-state.ts';
import type { RunningCall } from '../../../src/machines/kept-call.ts';
import type { AskedRun } from '../../../src/machines/reach.ts';
import { cardOffer } from '../../../src/surfaces/card-calls.ts';
import { callerNamed, deskSet, placeAsTold } from '../../support/gate-tools.ts';

type State = ReturnType<typeof cardState>;

/** The cards' side over the desk, and what it asks machines and the gate. */
function offer({ state = null, runs = [] }: { state?: State; runs?: RunningCall[] } = {}) {
  const placed: [tool: string, onlyOn: string | undefined][] = [];
  const asked: AskedCard[] = [];
  const askedRuns: AskedRun[] = [];
  const ports = {
    gate: () => {
      throw new Error('Cards call no tool.');
    },
    origin: 'http://localhost',
    place: placeAsTold,
    newCallId: () => 'call_1',
    later: () => undefined,
    announce: async () => undefined,
    report: () => undefined,
  };
  const tools = deskSet(ports, { runs: [] });
  const { follow } = cardOffer({
    gate: () => ({
      card: async (card) => {
        asked.push(card);
        return state;
      },
    }),
    machines: {
      running: async (by, principal) => {
        askedRuns.push(by);
        return principal === 'ada' ? runs.find(({ id }) => !('id' in by) || by.id === id) : undefined;
      },
    },
    find: async (name) => {
      const tool = tools.get(name.replace('joined', 'desk'));
      return tool && name.startsWith('joined') ? { ...tool, onlyOn: 'm_7' } : tool;
    },
    place: (contract, input, caller, onlyOn) => {
      placed.push([contract.wireName, onlyOn]);
      return onlyOn === undefined
        ? placeAsTold(contract, input, caller)
        : { machine: { id: onlyOn, name: 'mini' }, root: null };
    },
    origin: 'http://localhost',
    page: async () => '',
  });
  const ask = async (caller: Caller, args: object = { tool: 'desk_burn', arguments: { path: 'a' } }) => {
    const result = await follow(args, caller);
    if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
    return result.output as Record<string, unknown>;
  };
  return { ask, placed, asked, askedRuns };
}

const ada = callerNamed('ada');
const open: RunningCall = { id: 'call_7', state: 'open', startedAt: Date.now(), said: 'one\ntwo\n' };
const consumed = (ran: { outcome: string | null; code: string | null }, id = 'call_7'): State => ({
  ...{ code: '0000-0000', state: 'consumed', askedAgo: 90_000, left: 0, note: null },
  ran: { id, ...ran },
});

describe('a card that asks by a tool', () => {
  it('has no machine found for a caller who may not call it', async () => {
    const { ask, placed, asked, askedRuns } = offer({ runs: [open] });
    expect(await ask(callerNamed('ada', { scopes: new Set(['read', 'write']) }))).toEqual({ state: 'none' });
    expect([placed, asked, askedRuns]).toEqual([[], [], []]);
    await ask(ada);
    expect([placed.length, asked.length]).toEqual([1, 1]);
  });

  it('says what a call is that nobody was asked about, and names its place only to whoever may list machines', async () => {
    const { ask, placed } = offer();
    const joined = { tool: 'joined_burn', arguments: { path: 'a' } };
    const sentence = { who: 'tests', does: 'use', what: 'desk_burn' };
    expect(await ask(ada, joined)).toEqual({
      state: 'none',
      call: { sentence: { ...sentence, where: ' on mini' }, risk: 'dangerous' },
    });
    expect(placed).toEqual([['desk_burn', 'm_7']]);
    const alone = callerNamed('ada', { scopes: new Set(['machine']) });
    expect(await ask(alone, joined)).toMatchObject({ call: { sentence: { ...sentence, where: '' } } });
    expect(await ask(ada, { ...joined, known: true })).toEqual({ state: 'none' });
  });

  it('shows the run of a call that needed no yes, with what it said so far', async () => {
    const { ask, askedRuns } = offer({ runs: [open] });
    const joined = { tool: 'joined_burn', arguments: { path: 'a' } };
    expect(await ask(ada, joined)).toMatchObject({
      state: 'running',
      asked_seconds_ago: 0,
      ran: { call_id: 'call_7', outcome: null, code: null },
      output: 'one\ntwo\n',
      call: { sentence: { what: 'desk_burn' } },
    });
    expect(askedRuns).toEqual([{ machine: 'm_7', digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(await ask(callerNamed('eve'), joined)).toMatchObject({ state: 'none' });
  });
});

describe('a card that follows a run', () => {
  it('is shown what it says while it runs, and then how it ended', async () => {
    const ends = [
      ['open', 'running', null, null],
      ['done', 'ended', 'ok', null],
      ['failed', 'ended', 'failed', null],
      ['unknown', 'ended', 'failed', 'outcome_unknown'],
      ['not_run', 'ended', 'failed', 'cancelled'],
    ] as const;
    for (const [state, shown, outcome, code] of ends) {
      const said = state === 'open' ? 'so far' : null;
      const { ask } = offer({ runs: [{ ...open, state, said }] });
      const answer = await ask(ada, { call_id: 'call_7' });
      expect(answer).toMatchObject({ state: shown, ran: { call_id: 'call_7', outcome, code } });
      expect(answer.output).toBe(said ?? undefined);
    }
  });

  it('is shown nothing of another caller’s, and nothing without the scope for machines', async () => {
    const { ask, askedRuns } = offer({ runs: [open] });
    const none = { state: 'none' };
    expect(await ask(callerNamed('eve'), { call_id: 'call_7' })).toEqual(none);
    expect(await ask(ada, { call_id: 'call_8' })).toEqual(none);
    askedRuns.length = 0;
    const narrowed = callerNamed('ada', { scopes: new Set(['read', 'write']) });
    expect(await ask(narrowed, { call_id: 'call_7' })).toEqual(none);
    expect(askedRuns).toEqual([]);
  });
});

describe('a card that asks by its approval', () => {
  const byCode = { code: '0000-0000', known: true };

  it('follows the run that the yes allowed, also after its caller was told to come back', async () => {
    for (const ran of [
      { outcome: null, code: null },
      { outcome: 'failed', code: 'still_running' },
    ]) {
      const { ask, askedRuns } = offer({ state: consumed(ran), runs: [open] });
      expect(await ask(ada, byCode)).toMatchObject({
        ...{ state: 'consumed', code: '0000-0000', output: 'one\ntwo\n' },
        ran: { call_id: 'call_7', outcome: null, code: null },
      });
      expect(askedRuns).toEqual([{ id: 'call_7' }]);
    }
    const over = offer({
      state: consumed({ outcome: 'failed', code: 'still_running' }),
      runs: [{ ...open, state: 'done', said: null }],
    });
    expect(await over.ask(ada, byCode)).toMatchObject({ ran: { outcome: 'ok' } });
  });

  it('asks no machine once the end is known, or before there is a yes', async () => {
    const ended = offer({ state: consumed({ outcome: 'ok', code: null }), runs: [open] });
    expect(await ended.ask(ada, byCode)).toMatchObject({ state: 'consumed', ran: { outcome: 'ok' } });
    const { ran: _, ...rest } = consumed({ outcome: null, code: null }) ?? {};
    const pending = offer({ state: { ...rest, state: 'pending', ran: null } as State, runs: [open] });
    expect(await pending.ask(ada)).toMatchObject({ state: 'pending', ran: null });
    expect([ended.askedRuns, pending.askedRuns]).toEqual([[], []]);
  });

  it('shows a run of now before an approval of an earlier call like it', async () => {
    const joined = { tool: 'joined_burn', arguments: { path: 'a' } };
    const state = consumed({ outcome: 'ok', code: null }, 'call_1');
    expect(await offer({ state, runs: [open] }).ask(ada, joined)).toMatchObject({
      ...{ state: 'running', ran: { call_id: 'call_7' } },
    });
    expect(await offer({ state }).ask(ada, joined)).toMatchObject({
      ...{ state: 'consumed', ran: { call_id: 'call_1' } },
    });
  });
});
