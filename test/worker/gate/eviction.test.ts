import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { openRig, type Rig } from './rig.ts';
import { failureIn, sendBy, type Way } from './ways.ts';

const evict = (rig: Rig) => evictDurableObject(rig.gate());

/** A call that was asked for by a client that is not held meanwhile. */
async function asked(rig: Rig) {
  const answer = await sendBy('url', rig);
  if (answer.kind !== 'asked') throw new Error('expected a question');
  return { state: answer.state, ...(await rig.announced.nth(1)) };
}

describe('when the gate’s object is evicted', () => {
  it('what waits still waits, and is still the same', async () => {
    const rig = openRig();
    const { code, state } = await asked(rig);
    const before = await rig.gate().approval(code);
    await evict(rig);
    expect(await rig.gate().approval(code)).toEqual(before);
    expect(before).toMatchObject({ state: 'pending' });
    const answer = sendBy('mute', rig);
    await rig.holds.nth(1);
    expect(rig.announced.all).toHaveLength(1);
    await rig.decide(code);
    expect(await answer).toMatchObject({ text: 'run 1' });
    expect(await sendBy('url', rig, { state })).toMatchObject({ kind: 'ok', text: 'run 1' });
  });

  it('what was approved is still approved, for one run', async () => {
    const rig = openRig();
    const { code, state } = await asked(rig);
    await rig.decide(code);
    await evict(rig);
    expect(await sendBy('url', rig, { state })).toMatchObject({ text: 'run 1' });
    await evict(rig);
    expect(await sendBy('url', rig, { state })).toMatchObject({
      text: 'run 1',
      meta: { 'dev.bowline/replayed_call': expect.any(String) },
    });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('what was refused is still refused', async () => {
    const rig = openRig();
    const { code } = await asked(rig);
    await rig.decide(code, 'deny');
    await evict(rig);
    expect(failureIn(await sendBy('rest', rig)).code).toBe('approval_denied');
  });

  it('the five of one caller that wait are still five', async () => {
    const rig = openRig();
    for (let i = 0; i < 5; i++) await sendBy('url', rig, { args: { path: `${i}` } });
    await evict(rig);
    expect(failureIn(await sendBy('url', rig)).code).toBe('too_many_of_yours');
  });

  it('a limit and what was counted against it still hold', async () => {
    const rig = openRig();
    await rig.gate().changeSetting('rates', { desk_keep: 3 });
    const send = (path: string) => sendBy('rest', rig, { tool: 'desk_keep', args: { path } });
    for (const path of ['a', 'b', 'c']) {
      expect(await send(path)).toMatchObject({ kind: 'ok' });
      await evict(rig);
    }
    expect(failureIn(await send('d')).code).toBe('rate_limited');
  });

  it('a rule, its uses and the ledger are still there', async () => {
    const rig = openRig();
    const { code } = await asked(rig);
    await rig.decide(code, 'always');
    await sendBy('rest', rig);
    expect(await sendBy('rest', rig, { args: { path: 'a' } })).toMatchObject({ text: 'run 2' });
    const before = [await rig.gate().rules(), await rig.ledger()];
    await evict(rig);
    expect([await rig.gate().rules(), await rig.ledger()]).toEqual(before);
    expect(before).toMatchObject([[{ uses: 1, enabled: true }], { length: 3 }]);
    expect(await sendBy('rest', rig, { args: { path: 'a' } })).toMatchObject({ text: 'run 3' });
  });

  it('a call that was running is still known to run', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const rig = openRig({ desk: { runs: [], act: () => end.then(() => undefined) } });
    const { code, state } = await asked(rig);
    await rig.decide(code);
    const answer = sendBy('url', rig, { state });
    while (rig.desk.runs.length === 0) await rig.gate().rules();
    await evict(rig);
    expect(failureIn(await sendBy('url', rig, { state })).code).toBe('call_in_progress');
    resolve();
    expect(await answer).toMatchObject({ text: 'run 1' });
    expect((await rig.ledger())[1]).toMatchObject({ outcome: 'ok', decision: 'approved' });
  });
});

describe('when the gate’s object is cut off in the middle of its work', () => {
  const cutOff = (rig: Rig) =>
    runInDurableObject(rig.gate(), (_, state) => state.abort('cut off')).catch(() => undefined);

  it.each<Way>(['mute', 'old', 'rest', 'cli'])(
    'a call held by way of %s goes on and sees the decision',
    async (way) => {
      const rig = openRig();
      const answer = sendBy(way, rig);
      const { code } = await rig.announced.nth(1);
      await rig.holds.nth(1);
      await cutOff(rig);
      await rig.holds.nth(2);
      expect(rig.desk.runs).toEqual([]);
      await rig.decide(code);
      expect(await answer).toMatchObject({ kind: 'ok', text: 'run 1' });
      expect(rig.announced.all).toHaveLength(1);
    },
  );

  it('a decision made before the held call notices is not lost', async () => {
    const rig = openRig();
    const answers = ['a', 'b'].map((path) => sendBy('rest', rig, { args: { path } }));
    const [one, other] = [await rig.announced.nth(1), await rig.announced.nth(2)];
    await rig.holds.nth(2);
    await cutOff(rig);
    await Promise.all([rig.decide(one.code), rig.decide(other.code, 'deny')]);
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['failed', 'ok']);
    expect(rig.desk.runs).toHaveLength(1);
  });
});
