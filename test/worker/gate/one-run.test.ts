import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Desk } from '../../support/gate-tools.ts';
import { later } from '../auth/owner.ts';
import { openRig, type Rig } from './rig.ts';
import { type Answer, failureIn, sendBy, type Way, ways } from './ways.ts';

const MINUTE = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Has a call asked for and approved, by a client that is not held meanwhile; gives the state it was left with. */
async function approved(rig: Rig, args: object = { path: 'a' }): Promise<string> {
  const asked = rig.announced.all.length;
  const answer = await sendBy('url', rig, { args });
  if (answer.kind !== 'asked') throw new Error(`expected a question, got ${JSON.stringify(answer)}`);
  await rig.decide((await rig.announced.nth(asked + 1)).code);
  return answer.state;
}

const isRepeat = (answer: Answer) =>
  answer.kind === 'ok' &&
  (answer.meta.duplicate_suspected === true || answer.meta['dev.bowline/duplicate_suspected'] === true);

describe('an approval used twenty times at once', () => {
  /** Over every way in, through two isolates of the same gateway. */
  function twenty(rigs: readonly Rig[], state: string): Promise<Answer>[] {
    return Array.from({ length: 20 }, (_, i) => {
      const way: Way = ways[i % ways.length] ?? 'cli';
      const withState = way === 'url' || way === 'form' ? { state } : {};
      return sendBy(way, rigs[i % 2] as Rig, withState);
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

  it('lets one call run of twenty that were held for it', async () => {
    const rig = openRig();
    const other = openRig({ name: rig.name, desk: rig.desk });
    const answers = Array.from({ length: 20 }, (_, i) =>
      sendBy(i % 3 ? 'rest' : 'mute', i % 2 ? rig : other),
    );
    await Promise.all([rig.holds.nth(10), other.holds.nth(10)]);
    const told = [...rig.announced.all, ...other.announced.all];
    expect(told).toHaveLength(1);
    await rig.decide(told[0]?.code ?? '');
    for (const answer of await Promise.all(answers)) {
      if (answer.kind === 'ok') expect(answer.text).toBe('run 1');
      else expect(failureIn(answer).code).toBe('call_in_progress');
    }
    expect(rig.desk.runs).toHaveLength(1);
    expect((await rig.ledger({ outcome: 'ok' })).map(({ decision }) => decision)).toEqual(['approved']);
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
  it('gives what came of it, with a word that it may be a repeat, and does not run', async () => {
    const rig = openRig();
    const state = await approved(rig);
    await sendBy('url', rig, { state });
    for (const way of ways) expect(isRepeat(await sendBy(way, rig)) || way === 'rest', way).toBe(true);
    expect(isRepeat(await sendBy('url', rig, { state }))).toBe(true);
    expect(rig.desk.runs).toHaveLength(1);
    expect(rig.announced.all).toHaveLength(1);
  });

  it('later asks anew, and has used its approval up if it says which that was', async () => {
    const rig = openRig();
    const state = await approved(rig);
    await sendBy('url', rig, { state });
    later(MINUTE);
    expect(failureIn(await sendBy('url', rig, { state }))).toMatchObject({
      code: 'approval_used',
      http_status: 409,
    });
    expect(await sendBy('url', rig)).toMatchObject({ kind: 'asked' });
    expect(rig.announced.all).toHaveLength(2);
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('has used its approval up even if it failed', async () => {
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    const state = await approved(rig);
    expect(failureIn(await sendBy('url', rig, { state })).code).toBe('full');
    expect(failureIn(await sendBy('url', rig, { state })).code).toBe('approval_used');
    expect(await sendBy('url', rig)).toMatchObject({ kind: 'asked' });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('asks anew every time if it says that it is to be repeated', async () => {
    const rig = openRig();
    const args = { path: 'a', repeat: true };
    await approved(rig);
    await sendBy('rest', rig);
    for (const run of [2, 3]) {
      await approved(rig, args);
      expect(await sendBy('rest', rig, { args })).toMatchObject({ text: `run ${run}` });
    }
    expect(new Set(rig.announced.all.map(({ code }) => code)).size).toBe(3);
  });
});
