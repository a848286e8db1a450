import { describe, expect, it } from 'vitest';
import type { AnyContract } from '../../../contracts/contract.ts';
import type { Result } from '../../../src/core/call.ts';
import { doorFailure } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/core/handler.ts';
import { chatBy } from '../../../src/language/settings.ts';
import { MACHINE_MODEL_BASE, machineModelIn, modelFetch } from '../../../src/machines/model-fetch.ts';
import type { Machines, OutcomeKept } from '../../../src/machines/reach.ts';

const answer = (content: string) => ({
  status: 200,
  body: JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
});

/** Machines that answer as they are told, and remember what they were asked. */
function machinesThat(answerCall: () => Result, kept: (OutcomeKept | undefined)[] = []) {
  const asked: unknown[] = [];
  const machines = {
    place: () => ({ machine: { id: 'm_1', name: 'mini' }, root: null }),
    call: async (_: unknown, { prepared }: Call<AnyContract>) => {
      asked.push(prepared.input);
      return answerCall();
    },
    list: async () => [],
    outcome: async () => kept.shift(),
  } as unknown as Machines;
  return { asked, machines };
}

function ask(machines: Machines, timeoutMs = 5_000) {
  const model = machineModelIn('mlx:mini:8100');
  if (!model) throw new Error('not a model');
  const settings = { LANGUAGE_URL: MACHINE_MODEL_BASE, LANGUAGE_MODEL: 'org/model' };
  const chat = chatBy(
    settings,
    modelFetch(model, machines, () => undefined),
  );
  return chat?.({ messages: [{ role: 'user', content: 'Hello' }], timeoutMs });
}

const stillRunning = (): Result => ({
  kind: 'failed',
  failure: { ...doorFailure('timeout'), code: 'still_running', call_id: 'inner_1' },
});

describe('a model on a machine', () => {
  it.each([
    ['mlx:mini:8100', { machine: 'mini', port: 8100 }],
    ['mlx:a.b-c_d:8139', { machine: 'a.b-c_d', port: 8139 }],
    ['mlx:mini:8140', undefined],
    ['mlx:mini:8099', undefined],
    ['mlx:mini:81000', undefined],
    ['mlx::8100', undefined],
    ['http://localhost:8100/v1', undefined],
  ])('is named %s', (setting, named) => {
    expect(machineModelIn(setting)).toEqual(named);
  });

  it('is asked through the link, with the request as it would go over HTTP', async () => {
    const { machines, asked } = machinesThat(() => ({ kind: 'ok', output: answer('Hi.') }));
    expect(await ask(machines)).toMatchObject({ kind: 'said', text: 'Hi.' });
    expect(asked).toMatchObject([{ machine: 'mini', port: 8100 }]);
    const { body } = asked[0] as { body: string };
    expect(JSON.parse(body)).toMatchObject({
      model: 'org/model',
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  it('may take longer than a call is held', async () => {
    const text = JSON.stringify({ kind: 'ok', output: answer('At last.') });
    const kept = { tool: 'mlx_ask', state: 'done', startedAt: 0, finishedAt: 1, text } as OutcomeKept;
    const { machines } = machinesThat(stillRunning, [undefined, kept]);
    expect(await ask(machines)).toMatchObject({ kind: 'said', text: 'At last.' });
  });

  it('is not waited for beyond the time there is', async () => {
    const { machines } = machinesThat(stillRunning);
    expect(await ask(machines, 50)).toMatchObject({ kind: 'failed', code: 'timeout' });
  });

  it('says in words that the machine is off', async () => {
    const off = doorFailure('internal_error', { message: 'mini is not connected.' });
    const { machines } = machinesThat(() => ({ kind: 'failed', failure: off }));
    expect(await ask(machines)).toMatchObject({ kind: 'failed', code: 'model_error' });
  });
});
