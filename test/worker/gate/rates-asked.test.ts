import { evictDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { later } from '../auth/owner.ts';
import { openRig } from './rig.ts';
import { failureIn, sendBy, type Way } from './ways.ts';

afterEach(() => {
  vi.useRealTimers();
});

const LIMIT = 3;

/** A gate that lets in three calls a minute, of tools whose calls are refused by the look before the owner is asked. */
async function guarded() {
  const rig = openRig();
  await rig.gate().changeSetting('rates', { desk_mend: LIMIT, desk_write: LIMIT });
  let looks = 0;
  let isRight = (_: string) => false;
  rig.desk.look = (path, call) => {
    looks += 1;
    return isRight(path) ? { facts: [], files: null, diff: null, state: null } : call.fail('full');
  };
  return {
    rig,
    looks: () => looks,
    /** Which guesses the look finds to be right; none, unless said. */
    letPass: (isIt: (path: string) => boolean) => {
      isRight = isIt;
    },
    guess: (path: string, way: Way = 'rest', more: object = {}) =>
      sendBy(way, rig, { tool: 'desk_mend', args: { path, ...more } }),
  };
}

describe('calls that a look refuses', () => {
  it('count: one below the limit and the one at it look, the one above it does not', async () => {
    const { guess, looks, rig } = await guarded();
    later(0);
    for (const n of [1, 2, 3]) {
      expect(failureIn(await guess(`guess ${n}`)).code).toBe('full');
      expect(looks()).toBe(n);
    }
    expect(failureIn(await guess('guess 4'))).toMatchObject({ code: 'rate_limited', retry_after: 60 });
    expect(looks()).toBe(LIMIT);
    // A limit is a caller's own, for one tool.
    expect(failureIn(await sendBy('rest', rig, { tool: 'desk_mend', as: 'bob' })).code).toBe('full');
    expect(await sendBy('url', rig, { args: { path: 'a' } })).toMatchObject({ kind: 'asked' });
    later(60_000);
    expect(failureIn(await guess('guess 5')).code).toBe('full');
  });

  it('count when they come together, by whatever way, and after the object went to sleep', async () => {
    const { guess, looks, rig } = await guarded();
    const ways = ['rest', 'mute', 'url', 'old', 'cli'] satisfies Way[];
    const answers = await Promise.all(ways.map((way, n) => guess(`guess ${n}`, way)));
    const codes = answers.map((answer) => failureIn(answer).code).sort();
    expect(codes).toEqual(['full', 'full', 'full', 'rate_limited', 'rate_limited']);
    await evictDurableObject(rig.gate());
    expect(failureIn(await guess('guess 6')).code).toBe('rate_limited');
    expect(looks()).toBe(LIMIT);
  });

  it('use up no idempotency key', async () => {
    const { guess, letPass, looks } = await guarded();
    const key = { idempotency_key: 'k' };
    expect(failureIn(await guess('wrong', 'rest', key)).code).toBe('full');
    letPass(() => true);
    expect(await guess('right', 'url', key)).toMatchObject({ kind: 'asked' });
    expect(looks()).toBe(2);
  });
});

describe('a call that somebody is asked about', () => {
  it('counts once when it is let in after that, and keeps its place until then', async () => {
    const { guess, letPass, rig } = await guarded();
    letPass((path) => path === 'right');
    later(0);
    expect(failureIn(await guess('guess 1')).code).toBe('full');
    const held = guess('right');
    const { code } = await rig.announced.nth(1);
    await rig.holds.nth(1);
    expect(failureIn(await guess('guess 2')).code).toBe('full');
    expect(failureIn(await guess('guess 3')).code).toBe('rate_limited');
    later(1_000);
    await rig.decide(code);
    expect(await held).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect(failureIn(await guess('guess 4')).code).toBe('rate_limited');
    // The two guesses are a minute ago; the call that ran is not.
    later(59_000);
    for (const n of [5, 6]) expect(failureIn(await guess(`guess ${n}`)).code).toBe('full');
    expect(failureIn(await guess('guess 7')).code).toBe('rate_limited');
  });

  it('counts if its own client declines it, so that nobody calls the owner without end', async () => {
    const { rig } = await guarded();
    const declineOne = async (path: string) => {
      const answer = await sendBy('url', rig, { args: { path } });
      if (answer.kind !== 'asked') return failureIn(answer).code;
      const responses = { approval: { action: 'decline' } };
      return failureIn(await sendBy('url', rig, { args: { path }, state: answer.state, responses })).code;
    };
    later(0);
    for (const path of ['a', 'b', 'c']) expect(await declineOne(path)).toBe('approval_required');
    expect(await declineOne('d')).toBe('rate_limited');
    expect(rig.announced.all).toHaveLength(LIMIT);
  });

  it('counts if its caller leaves each time, so that nobody calls the owner without end', async () => {
    const { rig } = await guarded();
    const leaveOne = async (path: string) => {
      const gone = new AbortController();
      const answer = sendBy('cli', rig, { args: { path }, caller: { signal: gone.signal } });
      const before = rig.holds.all.length;
      await Promise.race([rig.holds.nth(before + 1), answer]);
      gone.abort();
      return failureIn(await answer).code;
    };
    later(0);
    for (const path of ['a', 'b', 'c']) expect(await leaveOne(path)).toBe('cancelled');
    expect(await leaveOne('d')).toBe('rate_limited');
    expect(rig.announced.all).toHaveLength(LIMIT);
  });

  it('counts once with the call that comes back for its approval', async () => {
    const { rig } = await guarded();
    later(0);
    const asked: { path: string; state: string }[] = [];
    for (const path of ['a', 'b', 'c']) {
      const answer = await sendBy('url', rig, { args: { path } });
      if (answer.kind !== 'asked') throw new Error('expected a question');
      asked.push({ path, state: answer.state });
      await rig.decide((await rig.announced.nth(asked.length)).code);
    }
    expect(failureIn(await sendBy('rest', rig, { args: { path: 'd' } })).code).toBe('rate_limited');
    for (const { path, state } of asked) {
      const responses = { approval: { action: 'accept', content: {} } };
      expect(await sendBy('url', rig, { args: { path }, state, responses })).toMatchObject({ kind: 'ok' });
    }
    expect(failureIn(await sendBy('rest', rig, { args: { path: 'd' } })).code).toBe('rate_limited');
    later(60_000);
    expect(await sendBy('url', rig, { args: { path: 'd' } })).toMatchObject({ kind: 'asked' });
  });

  it('counts once for all who come back to it while it waits', async () => {
    const { rig } = await guarded();
    for (let n = 0; n < LIMIT + 2; n += 1) {
      expect(await sendBy('url', rig, { args: { path: 'a' } })).toMatchObject({ kind: 'asked' });
    }
    expect(rig.announced.all).toHaveLength(1);
  });
});
