import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { callApprovedBy, runOf } from '../../../src/gate/calls.ts';
import { Gate } from '../../../src/gate/gate.ts';
import { gateMigrations } from '../../../src/gate/gate-migrations.ts';
import type { GateCall, OpenRead } from '../../../src/gate/messages.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { countingRows } from '../count-rows.ts';
import { approvalIn, gateCall, inNewGate, seqIn } from './gate-calls.ts';

const ended = { outcome: 'ok', code: null, bytes: 10 } as const;
const CALLS = 200;
const PLAIN = { risk: 'read_only', approval: 'never', tool: 'hello', isPlainRead: true } as const;

/** Counts the rows that a gate reads and writes for calls of one kind, each with its end. */
function rowsOf(change: Partial<GateCall>, { result = null as string | null, hasYes = false } = {}) {
  return inNewGate((sql) => {
    const counted = countingRows(sql);
    const gate = new Gate({ sql: counted, transactionSync: (work) => work() }, { isAlone: true });
    for (let n = 0; n < CALLS; n++) {
      const call = () => gateCall({ perMinute: 100_000, digest: `digest ${n}`, ...change });
      let answer = gate.admit(call(), []);
      if (hasYes) {
        gate.decide(approvalIn(answer).code, 'approve', 'owner', true);
        answer = gate.admit(call(), []);
      }
      gate.settle([{ seq: seqIn(answer), end: { ...ended, at: Date.now(), result } }]);
    }
    return { read: counted.read() / CALLS, written: counted.written() / CALLS };
  });
}

describe('the rows of a call in the gate', () => {
  it('are two written for a read, whichever way it came', async () => {
    const read = { risk: 'read_only', approval: 'never', tool: 'hello' } as const;
    for (const change of [{}, { requestName: 'r1' }, { machine: 'mini', machineId: 'm_1' }]) {
      const { read: rowsRead, written } = await rowsOf({ ...read, ...change });
      expect(written).toBeLessThan(2.05);
      expect(rowsRead).toBeLessThan(14);
    }
  });

  it('are one for a plain read, written with its end and after its answer', () =>
    inNewGate((sql) => {
      const counted = countingRows(sql);
      const database = { sql: counted, transactionSync: <T>(work: () => T) => work() };
      const gate = new Gate(database, { isAlone: true, after: () => undefined });
      const ends: OpenRead[] = [];
      for (let n = 0; n < CALLS; n++) {
        const call = gateCall({ ...PLAIN, digest: `digest ${n}`, perMinute: 100_000 });
        const before = counted.written();
        const answer = gate.admitRead(call, [], null);
        expect(counted.written()).toBe(before);
        if (answer.kind !== 'admitted' || !answer.noted) throw new Error(`not noted: ${answer.kind}`);
        ends.push({ call, noted: answer.noted, end: { ...ended, at: Date.now(), result: null } });
        if (ends.length === 8) gate.settle(ends.splice(0));
      }
      expect(counted.written() / CALLS).toBeLessThan(1.05);
      expect(counted.read() / CALLS).toBeLessThan(8);
    }));

  it('are few for a call that changes something', async () => {
    const allowed = { machine: 'mini', machineId: 'm_1', approval: 'never' } as const;
    expect((await rowsOf(allowed, { result: 'a result' })).written).toBeLessThan(4.05);
    // A key, or the name of its request, is kept for a day to know a repeat by.
    expect((await rowsOf({ ...allowed, requestName: 'r1' }, { result: 'r' })).written).toBeLessThan(5.05);
    expect((await rowsOf({ machine: 'mini' }, { result: 'a result', hasYes: true })).written).toBeLessThan(
      17.05,
    );
  });
});

describe('a ledger of the version before', () => {
  it('finds the calls that approvals let run, by an index that has no others', () =>
    runInDurableObject(env.EVENTS.get(env.EVENTS.idFromName('an old ledger')), (_, { storage }) => {
      const { sql } = storage;
      migrate(storage, gateMigrations.slice(0, 15));
      const insert =
        "INSERT INTO call VALUES (?, 'id', 5, 'ada', 't', 'rest', 'desk', NULL, 'd', '{}', 1, ?, ?, ?, NULL)";
      sql.exec(insert, 1, 1, 'approved', 'approval ABCD-EFGH');
      sql.exec(insert, 2, 1, 'allowed', 'rule r1');
      sql.exec(insert, 3, 0, 'approved', 'approval ABCD-EFGH');
      for (let seq = 4; seq < 500; seq++) sql.exec(insert, seq, 1, 'allowed', 'rule r1');
      migrate(storage, gateMigrations);
      const counted = countingRows(sql);
      expect(runOf(counted, { digest: 'd', code: 'ABCD-EFGH' })).toMatchObject({ seq: 1, outcome: null });
      expect(runOf(counted, { digest: 'd', code: 'ABCD-EFGJ' })).toBeUndefined();
      const asked = { digest: 'd', principal: 'ada', voidedUpTo: 0 };
      expect(callApprovedBy(counted, asked, 'ABCD-EFGH', 6)?.seq).toBe(1);
      expect(counted.read()).toBeLessThan(10);
    }));
});
