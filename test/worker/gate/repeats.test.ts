import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetResults, writeEnd } from '../../../src/gate/calls.ts';
import type { Desk } from '../../support/gate-tools.ts';
import { later } from '../auth/owner.ts';
import { admitAt, DAY, inNewGate, MINUTE, START, saidTo, seqIn } from './gate-calls.ts';
import { openRig } from './rig.ts';
import { type Answer, failureIn, sendBy, type Way } from './ways.ts';

afterEach(() => {
  vi.useRealTimers();
});

const SOME: readonly Way[] = ['mute', 'old', 'rest', 'cli'];
const keyed = { tool: 'desk_keep', args: { path: 'a', idempotency_key: 'k' } };
const plain = { tool: 'desk_keep', args: { path: 'a' } };

/** What the answer says about the call, however its way in writes that. */
const metaOf = (answer: Answer) =>
  answer.kind === 'ok'
    ? Object.entries(answer.meta)
        .filter(([key]) => !key.startsWith('io.'))
        .map(([key, value]) => [key.replace('dev.bowline/', ''), value])
    : [];

describe('a call with the idempotency key of an earlier one', () => {
  it.each(SOME)('by way of %s is given what came of that, without a run', async (way) => {
    const rig = openRig();
    expect(await sendBy(way, rig, keyed)).toMatchObject({ text: 'run 1' });
    later(23 * 60 * MINUTE);
    const again = await sendBy(way, rig, { ...keyed, client: 'another' });
    expect(again).toMatchObject({ kind: 'ok', text: 'run 1' });
    if (way !== 'rest') expect(metaOf(again)).toEqual([['replayed_call', expect.stringMatching(/^call_/)]]);
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('is given its failure, too', async () => {
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    const first = failureIn(await sendBy('rest', rig, keyed));
    expect(failureIn(await sendBy('rest', rig, keyed))).toEqual(first);
    expect(first).toMatchObject({ code: 'full', http_status: 507 });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it.each(SOME)('by way of %s but other arguments is a conflict', async (way) => {
    const rig = openRig();
    await sendBy(way, rig, keyed);
    for (const change of [{ path: 'b' }, { content: 'x' }, { machine: 'mini' }, { repeat: true }]) {
      const failure = failureIn(await sendBy(way, rig, { ...keyed, args: { ...keyed.args, ...change } }));
      expect(failure).toMatchObject({ code: 'idempotency_conflict', http_status: 409 });
    }
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('is another call if it is somebody else’s or of another tool', async () => {
    const rig = openRig();
    await sendBy('rest', rig, keyed);
    expect(await sendBy('rest', rig, { ...keyed, as: 'bob' })).toMatchObject({ text: 'run 2' });
    expect(await sendBy('url', rig, { ...keyed, tool: 'desk_write' })).toMatchObject({ kind: 'asked' });
    expect(await sendBy('rest', rig, keyed)).toMatchObject({ text: 'run 1' });
  });

  it('waits its turn while that runs', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const act: Desk['act'] = () => {
      started.resolve();
      return end.then(() => undefined);
    };
    const rig = openRig({ desk: { runs: [], act } });
    const first = sendBy('rest', rig, keyed);
    await started.promise;
    expect(failureIn(await sendBy('rest', rig, keyed))).toMatchObject({ code: 'call_in_progress' });
    resolve();
    expect(await first).toMatchObject({ text: 'run 1' });
  });

  it('does not take what was refused for a run', async () => {
    const rig = openRig();
    const asks = { ...keyed, tool: 'desk_write' };
    expect(await sendBy('url', rig, asks)).toMatchObject({ kind: 'asked' });
    await rig.decide((await rig.announced.nth(1)).code);
    expect(await sendBy('rest', rig, asks)).toMatchObject({ text: 'run 1' });
    expect(await sendBy('rest', rig, asks)).toMatchObject({ text: 'run 1' });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('goes on with a tool that has asked its person something itself', async () => {
    let asked = false;
    const act: Desk['act'] = (_, call) => {
      if (asked) return undefined;
      asked = true;
      const params = { mode: 'url', elicitationId: 'x', url: 'http://localhost/', message: 'Look.' } as const;
      return call.ask({ approval: { method: 'elicitation/create', params } });
    };
    const rig = openRig({ desk: { runs: [], act } });
    expect(await sendBy('url', rig, keyed)).toMatchObject({ kind: 'asked' });
    expect(await sendBy('url', rig, keyed)).toMatchObject({ kind: 'ok', text: 'run 2' });
  });

  it('is told where to look if the result was too long to keep', async () => {
    const text = 'x'.repeat(256 * 1024);
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.ok({ text }) } });
    expect(await sendBy('rest', rig, keyed)).toMatchObject({ text });
    const [row] = await rig.ledger();
    const failure = failureIn(await sendBy('rest', rig, keyed));
    expect(failure).toMatchObject({ code: 'duplicate_call', http_status: 409, call_id: row?.id });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('is given no secret that was in it', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.ok({ text: secret }) } });
    expect(await sendBy('rest', rig, keyed)).toMatchObject({ text: secret });
    expect(await sendBy('rest', rig, keyed)).toMatchObject({ text: '[redacted:github-token]' });
  });
});

describe('the key of a call', () => {
  const key = { idempotencyKey: 'k', approval: 'never' } as const;
  const ended = (sql: SqlStorage, seq: number, at: number) =>
    writeEnd(sql, seq, { at, outcome: 'ok', code: null, bytes: 2, result: '{}' });

  it('of one that was cut off tells so, from a quarter of an hour on', () =>
    inNewGate((sql) => {
      admitAt(sql, START, key);
      expect(saidTo(admitAt(sql, START + 15 * MINUTE - 1, key))).toBe('call_in_progress');
      expect(saidTo(admitAt(sql, START + 15 * MINUTE, key))).toBe('outcome_unknown');
      expect(saidTo(admitAt(sql, START + DAY - 1, key))).toBe('outcome_unknown');
      expect(saidTo(admitAt(sql, START + DAY, key))).toBe('admitted');
    }));

  it('is remembered for a day to the millisecond, and then like new', () =>
    inNewGate((sql) => {
      ended(sql, seqIn(admitAt(sql, START, key)), START);
      expect(admitAt(sql, START + DAY - 1, key)).toMatchObject({
        kind: 'earlier',
        suspected: false,
        result: '{}',
      });
      expect(saidTo(admitAt(sql, START + DAY - 1, { ...key, digest: 'd2' }))).toBe('idempotency_conflict');
      ended(sql, seqIn(admitAt(sql, START + DAY, { ...key, digest: 'd2' })), START + DAY);
      expect(saidTo(admitAt(sql, START + DAY + 1, key))).toBe('idempotency_conflict');
    }));

  it('outlives the result no longer than that', () =>
    inNewGate((sql) => {
      ended(sql, seqIn(admitAt(sql, START, key)), START);
      forgetResults(sql, START + DAY);
      expect(admitAt(sql, START + DAY - 1, key)).toMatchObject({ result: '{}' });
      forgetResults(sql, START + DAY + 1);
      expect(sql.exec('SELECT outcome, result FROM call_end').one()).toEqual({ outcome: 'ok', result: null });
    }));
});

describe('the same call again without a key', () => {
  it.each(SOME)(
    'by way of %s within a minute gives the outcome, and that it may be a repeat',
    async (way) => {
      const rig = openRig();
      later(0);
      await sendBy(way, rig, plain);
      later(MINUTE - 1);
      const again = await sendBy(way, rig, plain);
      expect(again).toMatchObject({ text: 'run 1' });
      if (way !== 'rest') {
        expect(metaOf(again)).toEqual([
          ['duplicate_suspected', true],
          ['earlier_call', expect.any(String)],
        ]);
      }
      later(1);
      expect(await sendBy(way, rig, plain)).toMatchObject({ text: 'run 2' });
    },
  );

  it('runs if it says that it is to be repeated, as often as it says so', async () => {
    const rig = openRig();
    const repeat = { ...plain, args: { path: 'a', repeat: true } };
    await sendBy('rest', rig, plain);
    expect(await sendBy('rest', rig, repeat)).toMatchObject({ text: 'run 2' });
    expect(await sendBy('rest', rig, repeat)).toMatchObject({ text: 'run 3' });
    expect(await sendBy('rest', rig, plain)).toMatchObject({ text: 'run 1' });
  });

  it('runs if it failed before', async () => {
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    for (const run of [1, 2]) {
      expect(failureIn(await sendBy('rest', rig, plain)).code).toBe('full');
      expect(rig.desk.runs).toHaveLength(run);
    }
  });

  it('runs if it only reads', async () => {
    const rig = openRig();
    for (const run of [1, 2]) {
      expect(await sendBy('rest', rig, { tool: 'desk_look' })).toMatchObject({ text: `run ${run}` });
    }
  });

  it('is another’s own call, who is not told what came of this one', async () => {
    const rig = openRig();
    await sendBy('rest', rig, plain);
    expect(await sendBy('rest', rig, { ...plain, as: 'bob' })).toMatchObject({ text: 'run 2' });
  });
});
