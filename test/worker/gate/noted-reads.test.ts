import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { writeCall } from '../../../src/gate/calls.ts';
import { NotedReads } from '../../../src/gate/noted-reads.ts';
import type { Desk } from '../../support/gate-tools.ts';
import { gateCall, inNewGate, START } from './gate-calls.ts';
import { gateNamed, openRig, type Rig } from './rig.ts';
import { failureIn, sendBy } from './ways.ts';

// A plain read is let in without a row, and gets one row with its end. What does the ledger say, and what do limits count,
// whenever the gate's object dies in between?

const look = (rig: Rig, path = 'a', as = 'ada') =>
  sendBy('rest', rig, { tool: 'desk_look', args: { path }, as });

const kill = (rig: Rig) =>
  runInDurableObject(gateNamed(rig.name), (_, state) => state.abort('killed')).catch(() => undefined);

type Death = 'before it takes the message' | 'with the message' | 'before it answers';

/** A rig whose gate dies at one of the messages that it gets. */
function dyingRig(at: number, when: Death) {
  let messages = 0;
  const ran: { readonly path: string; readonly id: string }[] = [];
  const act: Desk['act'] = (path, { id }) => void ran.push({ path, id });
  const rig: Rig = openRig({
    desk: { runs: [], act },
    around: async (send) => {
      const isIt = messages++ === at;
      if (isIt && when !== 'before it answers') await kill(rig);
      if (isIt && when === 'with the message') throw new Error('The message was lost.');
      const answer = await send();
      if (!isIt || when !== 'before it answers') return answer;
      await kill(rig);
      throw new Error('The answer was lost.');
    },
  });
  return { rig, ran, messages: () => messages };
}

/** The rows of the database itself. */
const rowsIn = (rig: Rig) =>
  rig.inGate((sql) => ({
    calls: sql.exec('SELECT id, counted, effect, ok_at IS NOT NULL AS whole FROM call').toArray(),
    ends: sql.exec('SELECT seq FROM call_end').toArray(),
  }));

describe('a plain read', () => {
  it('is in the ledger with its end', async () => {
    const rig = openRig();
    expect(await look(rig)).toMatchObject({ kind: 'ok' });
    const [entry] = await rig.ledger();
    expect(entry).toMatchObject({
      ...{ tool: 'desk_look', outcome: 'ok', code: null, decision: 'allowed', because: 'needs no approval' },
      ...{ bytes: expect.any(Number), durationMs: expect.any(Number), seq: 1 },
    });
    expect(await rig.gate().call(1)).toMatchObject({ ...entry, result: null });
  });

  it('is found by every filter of the ledger', async () => {
    const rig = openRig();
    await look(rig);
    await rig.settled();
    for (const filter of [{}, { outcome: 'ok' }, { tool: 'desk_look' }, { principal: 'ada', outcome: 'ok' }])
      expect(await rig.ledger(filter)).toHaveLength(1);
    for (const filter of [{ outcome: 'running' }, { outcome: 'failed' }, { tool: 'desk_keep' }])
      expect(await rig.ledger(filter)).toEqual([]);
    const { whole } = await rig.gate().overview(0, 60_000);
    expect(whole).toMatchObject({ calls: 1, failed: 0, p50: expect.any(Number) });
  });

  it('that fails is found by its outcome', async () => {
    const rig = openRig({ desk: { runs: [], act: (_, call) => call.fail('full') } });
    expect(failureIn(await look(rig)).code).toBe('full');
    await rig.settled();
    expect(await rig.ledger({ outcome: 'failed' })).toMatchObject([{ code: 'full', outcome: 'failed' }]);
  });

  it('that goes on is in the ledger meanwhile, and ends there once', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const rig = openRig({ desk: { runs: [], act: () => end.then(() => undefined) } });
    const answer = look(rig);
    while (rig.desk.runs.length === 0) await rig.gate().rules();
    expect((await rig.gate().ledger({})).entries).toMatchObject([{ tool: 'desk_look', outcome: null }]);
    resolve();
    await answer;
    await rig.settled();
    expect(await rig.ledger()).toMatchObject([{ outcome: 'ok' }]);
    expect(await rowsIn(rig)).toMatchObject({ calls: [{ whole: 0 }], ends: [{ seq: 1 }] });
  });

  it('that nobody looks at gets its row while it goes on', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const rig = openRig({ desk: { runs: [], act: () => end.then(() => undefined) } });
    const answer = look(rig);
    while ((await rowsIn(rig)).calls.length === 0) await rig.gate().rules();
    expect(await rowsIn(rig)).toMatchObject({ calls: [{ whole: 0 }], ends: [] });
    resolve();
    await answer;
  });

  it('has its row before that of a change that follows', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const act = (path: string) => (path === 'slow' ? end.then(() => undefined) : undefined);
    const rig = openRig({ desk: { runs: [], act } });
    // By then its limit is far away as well, and nothing else makes the gate write what it noted.
    await sendBy('rest', rig, { tool: 'desk_keep' });
    const answer = look(rig, 'slow');
    while (rig.desk.runs.length === 1) await rig.gate().rules();
    await sendBy('rest', rig, { tool: 'desk_keep' });
    resolve();
    await answer;
    await rig.settled();
    const ledger = await rig.ledger();
    expect(ledger.map(({ tool }) => tool)).toEqual(['desk_keep', 'desk_look', 'desk_keep']);
    expect(await rig.inGate((sql) => sql.exec('SELECT * FROM clock_step').toArray())).toEqual([]);
  });
});

describe('rows that are written together', () => {
  const READ = { risk: 'read_only', approval: 'never' } as const;
  const ports = { after: () => undefined, writeOld: () => undefined, counted: () => undefined };
  const end = { at: START + 10, outcome: 'ok', code: null, bytes: 1, result: null } as const;
  const steps = (sql: SqlStorage) => sql.exec('SELECT * FROM clock_step').toArray();

  it('say where the clock went back between two of them', () =>
    inNewGate((sql) => {
      const reads = new NotedReads(sql, ports);
      const ended = [START + 5, START].map((at) => {
        const call = gateCall(READ);
        return { call, noted: reads.note(call, at), end };
      });
      reads.end(ended);
      expect(sql.exec('SELECT seq, at FROM call').toArray()).toEqual([
        { seq: 1, at: START + 5 },
        { seq: 2, at: START },
      ]);
      expect(steps(sql)).toEqual([{ seq: 2, latest: START + 5 }]);
    }));

  it('follow what others wrote meanwhile', () =>
    inNewGate((sql) => {
      const reads = new NotedReads(sql, ports);
      const verdict = { counted: true, decision: 'allowed', because: 'test' };
      for (const write of ['end', 'write', 'take'] as const) {
        const call = gateCall(READ);
        const noted = reads.note(call, START);
        if (write === 'end') reads.end([{ call, noted, end }]);
        if (write === 'write') reads.write();
        const elsewhere = gateCall(READ);
        if (write === 'take') reads.take([{ call: elsewhere, noted: { ...noted, by: 'another' }, end }]);
        writeCall(sql, gateCall(), verdict, START);
      }
      expect(sql.exec('SELECT count(*) AS calls FROM call').one()).toEqual({ calls: 6 });
      expect(steps(sql)).toEqual([]);
    }));
});

describe('the limit of a minute', () => {
  const limited = async (rig: Rig, limit: number) => {
    await rig.gate().changeSetting('rates', { desk_look: limit });
    return rig;
  };

  it('counts reads that have no row yet, to the last one', async () => {
    const rig = await limited(openRig(), 10);
    const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => look(rig, `${n}`)));
    expect(answers.filter(({ kind }) => kind === 'ok')).toHaveLength(10);
    expect(rig.desk.runs).toHaveLength(10);
  });

  it('is as exact for a caller whose gate dies after each of its calls', async () => {
    const rig = await limited(openRig(), 10);
    const kinds: string[] = [];
    for (let n = 0; n < 14; n++) {
      kinds.push((await look(rig, `${n}`)).kind);
      await kill(rig);
    }
    expect(kinds).toEqual([...Array(10).fill('ok'), ...Array(4).fill('failed')]);
    expect(rig.desk.runs).toHaveLength(10);
  });

  it('counts reads that still ran when the gate died', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const rig = await limited(openRig({ desk: { runs: [], act: () => end.then(() => undefined) } }), 10);
    const first = Array.from({ length: 4 }, (_, n) => look(rig, `${n}`));
    while (rig.desk.runs.length < 4) await rig.gate().rules();
    await kill(rig);
    const then = Array.from({ length: 8 }, (_, n) => look(rig, `then ${n}`));
    while (rig.desk.runs.length < 10) await rig.gate().rules();
    resolve();
    const answers = await Promise.all([...first, ...then]);
    expect(answers.filter(({ kind }) => kind === 'ok')).toHaveLength(10);
    await rig.settled();
    expect(await rig.ledger({ outcome: 'ok' })).toHaveLength(10);
  });
});

describe('a gate that dies at any message', () => {
  it.each<Death>(['before it takes the message', 'with the message', 'before it answers'])(
    'loses no call that ran, and has each once: %s',
    async (when) => {
      for (let at = 0; ; at++) {
        const { rig, ran, messages } = dyingRig(at, when);
        for (const path of ['a', 'b']) await look(rig, path);
        await sendBy('rest', rig, { tool: 'desk_keep', args: { path: 'change' } });
        await Promise.all(['c', 'd', 'e'].map((path) => look(rig, path)));
        await rig.settled();
        // No other end takes this one along.
        await look(rig, 'f');
        const ledger = await rig.ledger();
        if (messages() <= at) break;
        expect(new Set(ledger.map(({ id }) => id)).size, `message ${at}`).toBe(ledger.length);
        expect(ran.length, `message ${at}`).toBeGreaterThanOrEqual(3);
        for (const { path, id } of ran) {
          const [entry, ...more] = ledger.filter((one) => one.id === id);
          expect(entry, `${path}, message ${at}`).toMatchObject({ decision: 'allowed' });
          expect(more, `${path}, message ${at}`).toEqual([]);
          expect(entry?.outcome, `${path}, message ${at}`).toBe('ok');
        }
      }
    },
  );
});
