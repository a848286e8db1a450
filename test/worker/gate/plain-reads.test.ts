import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { ANYBODY } from '../../../src/core/call.ts';
import { AT_THE_GATEWAY, prepareCall } from '../../../src/core/prepared-call.ts';
import { type GateLaw, noteRead } from '../../../src/gate/admit.ts';
import { Gate } from '../../../src/gate/gate.ts';
import { gateCall as gateCallOf } from '../../../src/gate/gate-call.ts';
import { Loans } from '../../../src/gate/loans.ts';
import type { GateCall } from '../../../src/gate/messages.ts';
import { NotedReads } from '../../../src/gate/noted-reads.ts';
import { RecentCalls } from '../../../src/gate/recent-calls.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { gateCall, inNewGate, SECOND, START } from './gate-calls.ts';
import { openRig } from './rig.ts';
import { noFor } from './rule-drafts.ts';
import { failureIn, sendBy } from './ways.ts';

const PLAIN = { risk: 'read_only', approval: 'never', tool: 'hello', isPlainRead: true } as const;

/** How a read is decided that is the `n`th of its minute, of 100 that are allowed. */
function noted(change: Partial<GateCall> = {}, law: Partial<GateLaw> = {}, n = 1) {
  return inNewGate((sql) => {
    const recent = new RecentCalls();
    const ports = { after: () => undefined, writeOld: () => undefined, counted: () => undefined };
    const reads = new NotedReads(sql, ports);
    const call = gateCall({ ...PLAIN, perMinute: 100, ...change });
    recent.learn(call.principal, call.tool, START, n - 1);
    const fresh = {
      rules: [],
      rates: {},
      maxPending: 20,
      groupsOff: new Set<never>(),
      loans: new Loans(sql, () => undefined),
      used: () => undefined,
    };
    return noteRead(call, { ...fresh, recent, noted: reads, mayNote: true, ...law }, START + SECOND);
  });
}

describe('a read may do without a row until it ends', () => {
  it('if it is plain, far from its limit, and nothing speaks of it', async () => {
    expect(await noted()).toMatchObject({ kind: 'admitted', seq: null, noted: { at: START + SECOND } });
    expect(await noted({}, {}, 50)).toMatchObject({ kind: 'admitted' });
  });

  it.each<[string, Partial<GateCall>, Partial<GateLaw>, number?]>([
    ['it changes something', { risk: 'safe_write', isPlainRead: undefined as never }, {}],
    ['a stranger makes it', { principal: ANYBODY }, {}],
    ['its group is switched off', { group: 'memory' }, { groupsOff: new Set(['memory'] as const) }],
    ['half of its limit is used', {}, {}, 51],
    ['its limit is one a minute and that is used', {}, { rates: { hello: 1 } }, 2],
    ['its limit is none', {}, { rates: { hello: 0 } }],
    ['whoever asks would not tell of it again', {}, { mayNote: false }],
  ])('but not if %s', async (_, change, law, n) => {
    expect(await noted(change, law, n)).toBeUndefined();
  });

  it('but not if the database is full', () =>
    inNewGate((sql) => {
      const database = { sql, transactionSync: <T>(work: () => T) => work() };
      let used = 0;
      const usedBytes = () => used;
      const gate = new Gate(database, { isAlone: true, after: () => undefined, usedBytes, fullBytes: 10 });
      expect(gate.admitRead(gateCall(PLAIN), [], null)).toHaveProperty('noted');
      used = 11;
      expect(gate.admitRead(gateCall(PLAIN), [], null)).toMatchObject({ code: 'ledger_full' });
    }));

  it('but not if a rule denies it or asks about it', async () => {
    const rig = openRig();
    const look = (path: string) => sendBy('rest', rig, { tool: 'desk_look', args: { path } });
    for (const effect of ['deny', 'ask'] as const) {
      const path = effect === 'deny' ? 'docs/secreta' : 'docs/open';
      const match = { kind: 'arguments', fields: { path: { regex: `^${path}$` } } } as const;
      const examples = { must: [JSON.stringify({ path })], mustNot: ['{"path":"docs/a"}'] };
      const added = await rig.gate().addRule(noFor(effect, { tool: 'desk_look', match, examples }), true);
      expect(added).toHaveProperty('text');
    }
    expect(await look('docs/a')).toMatchObject({ kind: 'ok' });
    expect(failureIn(await look('docs/secreta')).code).toBe('denied_by_rule');
    expect(await sendBy('url', rig, { tool: 'desk_look', args: { path: 'docs/open' } })).toMatchObject({
      kind: 'asked',
    });
    expect(rig.desk.runs).toHaveLength(1);
  });
});

describe('a plain read', () => {
  const prepared = (contract: (typeof catalogue)[keyof typeof catalogue], args = {}, machine = false) =>
    prepareCall(
      { callId: 'c', contract, caller: callerNamed('ada'), input: args },
      machine ? { machine: { id: 'm_1', name: 'mini' }, root: null } : AT_THE_GATEWAY,
    );

  it('is a tool that reads what the gateway has, asks no machine and goes nowhere', () => {
    const plain = Object.values(catalogue)
      .filter(({ runsOn }) => runsOn === 'gateway')
      .filter((contract) => gateCallOf(prepared(contract)).isPlainRead);
    for (const { risk, approval, hints } of plain)
      expect([risk, approval, hints]).toEqual([
        'read_only',
        'never',
        { ...hints, readOnly: true, openWorld: false },
      ]);
    // Not `transcript_clean`, which may have a language model elsewhere read its text.
    expect(plain.map(({ wireName }) => wireName).sort()).toEqual([
      ...['fetch', 'get_call', 'hello', 'list_machines', 'list_repo', 'read_repo_file', 'search'],
    ]);
  });

  it('is none on a machine, and none with long arguments', () => {
    const { hello } = catalogue;
    expect(gateCallOf(prepared(hello, { name: 'Ada' })).isPlainRead).toBe(true);
    expect(gateCallOf(prepared(hello, { name: 'Ada' }, true)).isPlainRead).toBeUndefined();
    expect(gateCallOf(prepared(hello, { name: 'a'.repeat(4_000) })).isPlainRead).toBeUndefined();
  });
});
