import { afterEach, describe, expect, it, vi } from 'vitest';
import { REPLAYED } from '../../../contracts/machine-fields.ts';
import { forgetResults, writeEnd } from '../../../src/gate/calls.ts';
import { callerNamed, type Desk } from '../../support/gate-tools.ts';
import { later } from '../auth/owner.ts';
import { GATEWAY } from '../http.ts';
import { admitAt, DAY, inNewGate, MINUTE, START, saidTo, seqIn } from './gate-calls.ts';
import { openRig } from './rig.ts';
import { type Answer, failureIn, mcpRequest, sendBy, type Way, ways } from './ways.ts';

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
    const call_id = expect.stringMatching(/^call_/);
    expect(failureIn(await sendBy('rest', rig, keyed))).toEqual({ ...first, call_id, replayed: true });
    expect(first).toMatchObject({ code: 'full', http_status: 507 });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it.each(SOME)('by way of %s but other arguments is a conflict', async (way) => {
    const rig = openRig();
    await sendBy(way, rig, keyed);
    for (const change of [{ path: 'b' }, { content: 'x' }, { machine: 'mini' }, { repeat: true }]) {
      const failure = failureIn(await sendBy(way, rig, { ...keyed, args: { ...keyed.args, ...change } }));
      expect(failure).toMatchObject({ code: 'idempotency_conflict', http_status: 409 });
      // The first may have run. Nothing asks for it under another key.
      expect(failure.suggestion).toContain(
        'first look at what it was to change. For another call use a new key.',
      );
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

  it('of one that has no end, or one that leaves open whether it ran, is for others to explain', () =>
    inNewGate((sql) => {
      const seq = seqIn(admitAt(sql, START, key));
      const unsettled = { kind: 'unsettled', seq, callId: expect.stringMatching(/^call_/), at: START };
      expect(admitAt(sql, START + DAY - 1, key)).toEqual({ ...unsettled, code: null });
      writeEnd(sql, seq, { at: START, outcome: 'failed', code: 'cancelled', bytes: 0, result: '{}' });
      expect(admitAt(sql, START + DAY - 1, key)).toEqual({ ...unsettled, code: 'cancelled' });
      expect(saidTo(admitAt(sql, START + DAY, key))).toBe('admitted');
    }));

  it('of one that is known not to have run is free', () =>
    inNewGate((sql) => {
      const seq = seqIn(admitAt(sql, START, key));
      expect(saidTo(admitAt(sql, START, { ...key, voidedUpTo: seq }))).toBe('admitted');
      const end = { at: START, outcome: 'failed', code: 'machine_offline', bytes: 0, result: '{}' } as const;
      writeEnd(sql, seq + 1, end);
      expect(saidTo(admitAt(sql, START, key))).toBe('admitted');
    }));

  it('is remembered for a day to the millisecond, and then like new', () =>
    inNewGate((sql) => {
      ended(sql, seqIn(admitAt(sql, START, key)), START);
      expect(admitAt(sql, START + DAY - 1, key)).toMatchObject({
        kind: 'earlier',
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
  it.each(ways)('by way of %s runs again, however soon', async (way) => {
    const rig = openRig();
    for (const run of [1, 2, 3]) {
      const again = await sendBy(way, rig, plain);
      expect(again).toMatchObject({ text: `run ${run}` });
      expect(metaOf(again)).toEqual([]);
    }
  });

  it('runs again beside the first', async () => {
    const both = Promise.withResolvers<void>();
    const desk: Desk = {
      runs: [],
      act: () => {
        if (desk.runs.length === 2) both.resolve();
        return both.promise.then(() => undefined);
      },
    };
    const rig = openRig({ desk });
    const answers = await Promise.all([sendBy('rest', rig, plain), sendBy('mute', rig, plain)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['ok', 'ok']);
  });
});

describe('a request that arrives twice on one connection', () => {
  const named = (n: number, args: object = plain.args) => ({
    ...plain,
    args,
    caller: { requestName: `stdio x ${n}` },
  });
  const run = (text: string) => expect.objectContaining({ text });

  it('is given what came of it, which says so, and does not run', async () => {
    const rig = openRig();
    await sendBy('cli', rig, named(1));
    const again = await sendBy('cli', rig, named(1));
    expect(again).toEqual(run('run 1'));
    expect(metaOf(again)).toEqual([['replayed_call', expect.stringMatching(/^call_/)]]);
    expect(await sendBy('cli', rig, named(2))).toEqual(run('run 2'));
  });

  it('runs if anything was changed since by the same principal, or it is not the same call', async () => {
    const rig = openRig();
    await sendBy('cli', rig, named(1));
    expect(await sendBy('cli', rig, named(1, { path: 'b' }))).toEqual(run('run 2'));
    expect(await sendBy('cli', rig, named(1))).toEqual(run('run 3'));
    await sendBy('rest', rig, { ...plain, args: { path: 'c' }, as: 'bob' });
    expect(metaOf(await sendBy('cli', rig, named(1)))).toHaveLength(1);
    await sendBy('rest', rig, { ...plain, args: { path: 'c' } });
    expect(metaOf(await sendBy('cli', rig, named(1)))).toEqual([]);
  });

  it('runs for another principal', async () => {
    const rig = openRig();
    await sendBy('cli', rig, named(1));
    expect(await sendBy('cli', rig, { ...named(1), as: 'bob' })).toEqual(run('run 2'));
  });
});

describe('what was replayed', () => {
  it('says so first, and as data, over MCP and as plain HTTP', async () => {
    const rig = openRig();
    await sendBy('rest', rig, keyed);
    for (const way of ['mute', 'old'] as const) {
      const response = await rig.mcp(mcpRequest(way, keyed), callerNamed('ada', { via: 'mcp' }));
      const text = await response.text();
      const { result } = JSON.parse(/\{.*"jsonrpc".*/.exec(text)?.[0] ?? '');
      expect(result.structuredContent).toEqual({ text: 'run 1', replayed: true });
      expect(result.content[0].text.split('\n')).toEqual([REPLAYED, '{"text":"run 1","replayed":true}']);
    }
    const body = JSON.stringify(keyed.args);
    const headers = { 'content-type': 'application/json', authorization: 'ada' };
    const plainly = await rig.rest.request(`${GATEWAY}/tools/desk_keep`, { method: 'POST', headers, body });
    expect(await plainly.json()).toEqual({ text: 'run 1', replayed: true });
  });

  it.each([true, false])('stands in the ledger as the repeat that it is (went well: %s)', async (isWell) => {
    const rig = isWell ? openRig() : openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    for (let n = 0; n < 2; n++) await sendBy('rest', rig, keyed);
    const [again, first] = await rig.ledger();
    expect(first).toMatchObject({ decision: 'allowed' });
    expect(again).toMatchObject({ decision: 'replayed', because: first?.id, outcome: first?.outcome });
  });

  it('is not kept a second time', async () => {
    const rig = openRig();
    for (let n = 0; n < 3; n++) await sendBy('rest', rig, keyed);
    await rig.ledger();
    const kept = await rig.inGate((sql) =>
      sql.exec('SELECT 1 FROM call_end WHERE result IS NOT NULL').toArray(),
    );
    expect(kept).toHaveLength(1);
  });
});
