import { describe, expect, it } from 'vitest';
import type { Desk } from '../../support/gate-tools.ts';
import { openRig, type Rig } from './rig.ts';
import { type Answer, asking, failureIn, sendBy, ways } from './ways.ts';

/** Has a call asked for and approved, by a client that is not held meanwhile; gives the state it was left with. */
async function approved(rig: Rig, args: object = { path: 'a' }): Promise<string> {
  const asked = rig.announced.all.length;
  const answer = await sendBy('url', rig, { args });
  if (answer.kind !== 'asked') throw new Error(`expected a question, got ${JSON.stringify(answer)}`);
  await rig.decide((await rig.announced.nth(asked + 1)).code);
  return answer.state;
}

const isRepeat = (answer: Answer) =>
  answer.kind === 'ok' && ('replayed_call' in answer.meta || 'dev.bowline/replayed_call' in answer.meta);

describe('an approval used twenty times at once', () => {
  /** By every way that carries what the client was left with, through two isolates of the same gateway. */
  function twenty(rigs: readonly Rig[], state: string): Promise<Answer>[] {
    return Array.from({ length: 20 }, (_, i) => {
      return sendBy(asking[i % asking.length] ?? 'url', rigs[i % 2] as Rig, { state });
    });
  }

  it('lets one call run, and tells the others so while it does', async () => {
    const { promise: others, resolve } = Promise.withResolvers<void>();
    const desk: Desk = { runs: [], act: () => others.then(() => undefined) };
    const rig = openRig({ desk });
    const state = await approved(rig);
    const answers = twenty([rig, openRig({ name: rig.name, desk })], state);
    let refused = 0;
    for (const answer of answers) {
      answer.then(({ kind }) => {
        if (kind === 'failed') refused += 1;
        if (refused === 19) resolve();
      });
    }
    const kinds = await Promise.all(answers);
    expect(kinds.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    const codes = kinds.filter(({ kind }) => kind === 'failed').map((answer) => failureIn(answer).code);
    expect(codes).toEqual(Array(19).fill('call_in_progress'));
    expect(desk.runs).toHaveLength(1);
  });

  it('lets one call run of several that were held for it, and has the owner asked anew for the others', async () => {
    const rig = openRig();
    const other = openRig({ name: rig.name, desk: rig.desk });
    const answers = Array.from({ length: 3 }, (_, i) => sendBy(i % 3 ? 'rest' : 'mute', i % 2 ? rig : other));
    await Promise.all([rig.holds.nth(2), other.holds.nth(1)]);
    const decided = new Set<string>();
    const told = () => [...rig.announced.all, ...other.announced.all];
    expect(told()).toHaveLength(1);
    for (let run = 1; run <= answers.length; run++) {
      await expect.poll(() => told().length, { timeout: 20_000 }).toBe(run);
      await rig.decide(told().find(({ code }) => !decided.has(code))?.code ?? '');
      for (const { code } of told()) decided.add(code);
    }
    const texts = (await Promise.all(answers)).map((answer) => answer.kind === 'ok' && answer.text);
    expect(texts.toSorted()).toEqual(['run 1', 'run 2', 'run 3']);
  });
});

describe('an approved call', () => {
  it('may be made from another client and another isolate of the same principal', async () => {
    const rig = openRig();
    const state = await approved(rig);
    const other = openRig({ name: rig.name, desk: rig.desk });
    expect(await sendBy('mute', other, { client: 'another', state })).toMatchObject({ text: 'run 1' });
    expect(rig.desk.runs).toMatchObject([{ caller: { principal: 'ada', client: 'another' } }]);
  });

  it.each(ways)('is not somebody else’s: by way of %s they ask for themselves', async (way) => {
    const rig = openRig();
    await approved(rig);
    const answer = sendBy(way, rig, { as: 'mallory' });
    const { code, request } = await rig.announced.nth(2);
    expect(request.caller.principal).toBe('mallory');
    expect(rig.desk.runs).toEqual([]);
    await rig.decide(code, 'deny');
    if (way !== 'url' && way !== 'form') expect(failureIn(await answer).code).toBe('approval_denied');
    // And hers is still there for her.
    expect(await sendBy('rest', rig)).toMatchObject({ text: 'run 1' });
  });
});

describe('a call made again after it was approved and made', () => {
  it('with the state of that approval is given what came of it, and does not run', async () => {
    const rig = openRig();
    const state = await approved(rig);
    await sendBy('url', rig, { state });
    for (const way of asking) expect(isRepeat(await sendBy(way, rig, { state })), way).toBe(true);
    expect(rig.desk.runs).toHaveLength(1);
    expect(rig.announced.all).toHaveLength(1);
  });

  it('asks anew without it, at once', async () => {
    const rig = openRig();
    const state = await approved(rig);
    await sendBy('url', rig, { state });
    expect(await sendBy('url', rig)).toMatchObject({ kind: 'asked' });
    expect(rig.announced.all).toHaveLength(2);
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('is told how it failed, and runs only with another yes', async () => {
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    const state = await approved(rig);
    expect(failureIn(await sendBy('url', rig, { state })).code).toBe('full');
    expect(failureIn(await sendBy('url', rig, { state }))).toMatchObject({ code: 'full', replayed: true });
    expect(await sendBy('url', rig)).toMatchObject({ kind: 'asked' });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('runs as often as the owner says yes', async () => {
    const rig = openRig();
    await approved(rig);
    await sendBy('rest', rig);
    for (const run of [2, 3]) {
      await approved(rig);
      expect(await sendBy('rest', rig)).toMatchObject({ text: `run ${run}` });
    }
    expect(new Set(rig.announced.all.map(({ code }) => code)).size).toBe(3);
  });
});
