import { describe, expect, it } from 'vitest';
import { Gate } from '../../../src/gate/gate.ts';
import type { GateCall } from '../../../src/gate/messages.ts';
import { countingRows } from '../count-rows.ts';
import { approvalIn, gateCall, inNewGate, seqIn } from './gate-calls.ts';

const ended = { outcome: 'ok', code: null, bytes: 10 } as const;
const CALLS = 200;

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

  it('are few for a call that changes something', async () => {
    const allowed = { machine: 'mini', machineId: 'm_1', approval: 'never' } as const;
    expect((await rowsOf(allowed, { result: 'a result' })).written).toBeLessThan(5.05);
    // A key, or the name of its request, is kept for a day to know a repeat by.
    expect((await rowsOf({ ...allowed, requestName: 'r1' }, { result: 'r' })).written).toBeLessThan(6.05);
    expect((await rowsOf({ machine: 'mini' }, { result: 'a result', hasYes: true })).written).toBeLessThan(
      17.05,
    );
  });
});
