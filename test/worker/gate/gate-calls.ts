import { runInDurableObject } from 'cloudflare:test';
import { admitCall, type GateLaw } from '../../../src/gate/admit.ts';
import { Loans } from '../../../src/gate/loans.ts';
import type { GateAnswer, GateCall, OpenApproval } from '../../../src/gate/messages.ts';
import { gateNamed } from './rig.ts';

/** The moment at which these tests begin. */
export const START = 1_800_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

let calls = 0;

/** A call that needs a yes, as the gate is told of it, with whatever is to be different about it. */
export function gateCall(change: Partial<GateCall> = {}): GateCall {
  return {
    callId: `call_${++calls}`,
    principal: 'ada',
    client: 'tests',
    via: 'rest',
    tool: 'desk_write',
    machine: null,
    machineId: null,
    root: null,
    risk: 'safe_write',
    approval: 'ask',
    perMinute: 1_000,
    digest: 'd1',
    args: '{"path":"a"}',
    shownArgs: '{"path":"a"}',
    idempotencyKey: null,
    requestName: null,
    voidedUpTo: 0,
    shown: { why: 'Tests show none.' },
    retryOf: null,
    ...change,
  };
}

/** Asks for a call to be let in at a moment, under the law of a gate that nobody has set anything about. */
export function admitAt(
  sql: SqlStorage,
  now: number,
  change: Partial<GateCall> = {},
  law: Partial<GateLaw> = {},
): GateAnswer {
  const fresh: GateLaw = {
    rules: [],
    rates: {},
    maxPending: 20,
    groupsOff: new Set(),
    loans: new Loans(sql, () => undefined),
    used: () => undefined,
  };
  return admitCall(sql, gateCall(change), { ...fresh, ...law }, now);
}

/** What a call is told: the code it is refused with, or else in a word. */
export function saidTo(answer: GateAnswer): string {
  return answer.kind === 'refused' ? answer.code : answer.kind;
}

/** The approval that a call waits for. */
export function approvalIn(answer: GateAnswer): OpenApproval {
  if (answer.kind !== 'ask') throw new Error(`expected a wait, got ${JSON.stringify(answer)}`);
  return answer.approval;
}

/** The number that a call was let in under. */
export function seqIn(answer: GateAnswer): number {
  if (answer.kind !== 'admitted' || answer.seq === null)
    throw new Error(`expected a number, got ${JSON.stringify(answer)}`);
  return answer.seq;
}

/** Runs something over the database of a gate that is new. */
export function inNewGate<T>(act: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(gateNamed(crypto.randomUUID()), (_, state) => act(state.storage.sql));
}
