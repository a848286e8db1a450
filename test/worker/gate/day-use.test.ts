import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Gate } from '../../../src/gate/gate.ts';
import type { GateCall } from '../../../src/gate/messages.ts';
import { approvalIn, gateCall, inNewGate, seqIn } from './gate-calls.ts';

const NOON = Date.UTC(2026, 0, 9, 12);
const DAY_MS = 86_400_000;
const READ = { risk: 'read_only', approval: 'never', tool: 'hello' } as const;

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOON }));
afterEach(() => vi.useRealTimers());

it('sums up the calls of yesterday, from midnight to midnight UTC', () =>
  inNewGate((sql) => {
    const gate = new Gate({ sql, transactionSync: (work) => work() }, { isAlone: true });
    let calls = 0;
    const run = (change: Partial<GateCall>, hasYes = false) => {
      const call = gateCall({ digest: `digest ${++calls}`, perMinute: 1_000, ...change });
      let answer = gate.admit(call, []);
      if (hasYes) {
        gate.decide(approvalIn(answer).code, 'approve', 'owner', true);
        answer = gate.admit(call, []);
      }
      const end = { outcome: 'ok', code: null, bytes: 1, at: Date.now(), result: null } as const;
      gate.settle([{ seq: seqIn(answer), end }]);
    };
    expect(gate.yesterday()).toEqual({
      ...{ day: '2026-01-08', calls: 0, requests: 0, objects: 0, rows_read: 0, rows_written: 0 },
    });
    vi.setSystemTime(Date.UTC(2026, 0, 8, 23, 59, 59));
    run(READ);
    vi.setSystemTime(Date.UTC(2026, 0, 9));
    run(READ);
    vi.setSystemTime(NOON);
    for (let n = 0; n < 2; n++) run({ ...READ, machine: 'mini', machineId: 'm_1' });
    run({ ...READ, tool: 'search' });
    run({ machine: 'mini', machineId: 'm_1', approval: 'never' });
    run({ machine: 'mini' }, true);
    vi.setSystemTime(NOON + DAY_MS);
    run(READ);
    expect(gate.yesterday()).toEqual({
      day: '2026-01-09',
      calls: 6,
      requests: 4 + 1 + 3,
      objects: 3 + 5 + 2 * 5 + 5 + 14,
      rows_read: 6 + 9_000 + 2 * 14 + 39 + 106,
      rows_written: 1 + 1 + 2 * 2 + 14 + 27,
    });
  }));
