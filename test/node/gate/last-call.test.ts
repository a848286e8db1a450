import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Gate } from '../../../src/gate/gate.ts';
import { PAST_NAMES } from '../../../src/gate/machine-names.ts';
import type { GateCall } from '../../../src/gate/messages.ts';
import { newDatabase } from '../../support/ledger-archive.ts';

const START = 1_800_000_000_000;

let gate: Gate;
let now: number;
let calls: number;
beforeEach(() => {
  now = START;
  calls = 0;
  vi.useFakeTimers({ toFake: ['Date'], now });
  gate = new Gate(newDatabase());
  return () => vi.useRealTimers();
});

/** Lets a second pass. */
const later = () => {
  now += 1_000;
  vi.setSystemTime(now);
};
const last = (id: string, since = START) => gate.lastCallOn({ id, name: 'unknown', since })?.id;

function pair(id: string, name: string): number {
  later();
  gate.machineNames.paired(id, name);
  return now;
}

function rename(id: string, to: string): void {
  later();
  gate.machineNames.renamed(id, to, Date.now());
}

/** Calls a machine, as an isolate does that may know only its old name. Gives the call's id. */
function call(machineId: string, machine = 'old news'): string {
  later();
  const callId = `call_${++calls}`;
  const asked: GateCall = {
    ...{ callId, principal: 'ada', client: 'tests', via: 'rest', tool: 'read_file', machine, machineId },
    ...{ root: null, risk: 'read_only', approval: 'never', perMinute: 1_000, digest: `d${calls}` },
    ...{ args: '{}', shownArgs: '{}', idempotencyKey: null, requestName: null, voidedUpTo: 0 },
    ...{ shown: null, retryOf: null },
  };
  expect(gate.admit(asked, [])).toMatchObject({ kind: 'admitted' });
  return callId;
}

describe('the last call on a machine', () => {
  it('stays its own when it is renamed, and when another machine takes its old name', () => {
    pair('m_1', 'mini');
    const first = call('m_1');
    rename('m_1', 'maxi');
    expect(last('m_1')).toBe(first);
    const since = pair('m_2', 'mini');
    expect(last('m_2', since)).toBeUndefined();
    const second = call('m_2');
    expect(last('m_2', since)).toBe(second);
    expect(last('m_1')).toBe(first);
    const third = call('m_1');
    expect(last('m_1')).toBe(third);
    expect(last('m_2', since)).toBe(second);
  });

  it('is found when two machines have exchanged their names', () => {
    pair('m_1', 'mini');
    pair('m_2', 'maxi');
    const [first, second] = [call('m_1'), call('m_2')];
    rename('m_1', 'spare');
    rename('m_2', 'mini');
    rename('m_1', 'maxi');
    expect([last('m_1'), last('m_2')]).toEqual([first, second]);
    rename('m_1', 'spare');
    rename('m_2', 'maxi');
    rename('m_1', 'mini');
    expect([last('m_1'), last('m_2')]).toEqual([first, second]);
  });

  it('is not one from before it was paired', () => {
    const earlier = pair('m_1', 'mini');
    const first = call('m_1');
    const since = pair('m_2', 'mini');
    expect([last('m_1', earlier), last('m_2', since)]).toEqual([first, undefined]);
  });

  it('is found by the name that the registry tells, if the gate was never told one', () => {
    const only = call('m_0', 'mini');
    expect(gate.lastCallOn({ id: 'm_0', name: 'mini', since: START })?.id).toBe(only);
  });

  it.each([
    [PAST_NAMES - 1, true],
    [PAST_NAMES, true],
    [PAST_NAMES + 1, false],
  ])('is found after %i renames: %s', (renames, isFound) => {
    pair('m_1', 'mini');
    const first = call('m_1');
    for (let i = 0; i < renames; i++) rename('m_1', `name${i}`);
    expect(last('m_1')).toBe(isFound ? first : undefined);
  });

  it('is not one of a machine that had the oldest name that is remembered before', () => {
    pair('m_1', 'mini');
    pair('m_2', 'name0');
    call('m_2');
    rename('m_2', 'other');
    for (let i = 0; i <= PAST_NAMES; i++) rename('m_1', `name${i}`);
    expect(last('m_1')).toBeUndefined();
  });
});
