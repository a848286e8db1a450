import { describe, expect, it } from 'vitest';
import { ANYBODY, OWNER_PRINCIPAL } from '../../../src/core/call.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import { sessionState } from '../../../src/core/session-state.ts';
import { LOAN_MS, Loans, type WhichLoans } from '../../../src/gate/loans.ts';
import type { Decision, GateCall, GateEnd } from '../../../src/gate/messages.ts';
import { approvalIn, gateCall, inNewGate, seqIn } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

const preview = (lasting?: { session: string; startedBy: string | null }) => ({
  preview: { facts: [], files: null, diff: null, state: 'as it was', ...(lasting ? { lasting } : {}) },
});
let count = 0;
const call = (tool: string, args: object, change: Partial<GateCall>): GateCall => {
  const text = canonicalJson({ session: 'work', ...args });
  return gateCall({
    ...{ tool, machine: 'mini', machineId: 'm_1', risk: 'dangerous', approval: 'ask' },
    ...{ principal: 'token:ada', args: text, shownArgs: text, digest: `d${++count}` },
    ...change,
  });
};
const START = { shown: preview({ session: 'work', startedBy: null }) };
const start = (change: Partial<GateCall> = {}) => call('terminal_start', {}, { ...START, ...change });
const send = (change: Partial<GateCall> = {}, args: object = { text: 'ls', program: true }) =>
  call('terminal_send', args, { shown: null, ...change });

/** A gate of its own, as its callers and its owner use it. */
function openGate() {
  const stub = gateNamed(crypto.randomUUID());
  const admit = (asked: GateCall) => stub.admit(asked, []);
  const decide = (code: string, decision: Decision, proven = true) =>
    stub.decide(code, decision, 'the owner', proven);
  return {
    stub,
    admit,
    decide,
    /** Has the owner lend the terminal with a call, and lets the call in. Gives its number. */
    lend: async (asked: GateCall) => {
      const { code } = approvalIn(await admit(asked));
      expect(await decide(code, 'lend')).toEqual({ state: 'approved' });
      return seqIn(await admit({ ...asked, callId: `${asked.callId}_again` }));
    },
    settle: (seq: number, end: Partial<GateEnd>) =>
      stub.settle([
        { seq, end: { at: Date.now(), outcome: 'ok', code: null, bytes: 0, result: null, ...end } },
      ]),
    count: async () => (await stub.loans()).length,
  };
}

describe('a lent terminal', () => {
  it('lets in what its caller types there, and tells the machine which terminal it is', async () => {
    const { lend, admit, stub } = openGate();
    const asked = start();
    await lend(asked);
    expect(await admit(send())).toMatchObject({
      kind: 'admitted',
      seen: sessionState(`${asked.callId}_again`),
    });
    expect(await stub.loans()).toMatchObject([
      { machine: 'mini', session: 'work', principal: 'token:ada', sends: 1, last: [{ typed: 'ls' }] },
    ]);
  });

  it.each([
    ['another caller', { principal: 'token:eve' }],
    ['another machine', { machineId: 'm_2' }],
    ['another machine of that name', { machineId: 'm_2', machine: 'mini' }],
    ['another session', { args: canonicalJson({ session: 'other', text: 'ls' }) }],
    ['another tool', { tool: 'run_in_terminal' }],
    ['another terminal', { tool: 'terminal_start', ...START }],
  ])('is not lent for %s', async (_, change) => {
    const { lend, admit } = openGate();
    await lend(start());
    expect((await admit(send(change))).kind).not.toBe('admitted');
  });

  it('begins with the very call that its owner saw, and not with the decision', async () => {
    const { admit, decide, count } = openGate();
    const asked = start();
    const { code } = approvalIn(await admit(asked));
    await decide(code, 'lend');
    expect(await count()).toBe(0);
    expect((await admit(start())).kind).toBe('ask');
    expect((await admit(send())).kind).toBe('look');
    seqIn(await admit(asked));
    expect(await count()).toBe(1);
  });

  it('does not begin after its owner took the yes back', async () => {
    const { admit, decide, count } = openGate();
    const asked = start();
    const { code } = approvalIn(await admit(asked));
    await decide(code, 'lend');
    await decide(code, 'deny');
    expect([(await admit(asked)).kind, await count()]).toEqual(['refused', 0]);
  });

  it('needs the proof, and is lent by a plain yes to nobody', async () => {
    const { admit, decide, count } = openGate();
    const asked = start();
    const { code } = approvalIn(await admit(asked));
    expect(await decide(code, 'lend', false)).toMatchObject({ refused: 'proof_needed' });
    await decide(code, 'approve');
    seqIn(await admit(asked));
    expect([await count(), (await admit(send())).kind]).toEqual([0, 'look']);
  });

  it.each([
    ['a call of another tool', start({ tool: 'run_in_terminal' })],
    ['a call without a preview', start({ shown: { why: 'It is offline.' } })],
    ['a call to a machine that does not tell terminals apart', start({ shown: preview() })],
    ['text for a terminal that nobody knows', send({ shown: preview({ session: 'work', startedBy: null }) })],
    [
      'a start that claims another terminal',
      start({ shown: preview({ session: 'work', startedBy: 'call_9' }) }),
    ],
    ["the owner's own call", start({ principal: OWNER_PRINCIPAL })],
    ["a stranger's call", start({ principal: ANYBODY })],
  ])('is not lent with %s', async (_, asked) => {
    const { admit, decide, stub } = openGate();
    const { code } = approvalIn(await admit(asked));
    expect(await decide(code, 'lend')).toMatchObject({ refused: 'no_loan' });
    expect(await stub.approval(code)).toMatchObject({ state: 'pending', lends: null });
  });

  it('is lent by something typed there, and closes other questions about it as they come back', async () => {
    const { admit, lend, stub } = openGate();
    const shown = preview({ session: 'work', startedBy: 'call_start' });
    const waits = send({ shown });
    const { code } = approvalIn(await admit(waits));
    await lend(send({ shown }));
    expect(await admit(waits)).toMatchObject({ kind: 'admitted', seen: sessionState('call_start') });
    expect(await stub.approval(code)).toMatchObject({ state: 'consumed' });
    expect(await stub.approvals('pending')).toEqual([]);
  });

  it.each<[string, WhichLoans]>([
    ['all is taken back', {}],
    ['its caller is revoked', { principal: 'token:ada' }],
  ])('does not begin after %s, though its call may still run', async (_, which) => {
    const { admit, decide, stub, count } = openGate();
    const asked = start();
    await decide(approvalIn(await admit(asked)).code, 'lend');
    expect(await stub.endLoans(which)).toEqual({ count: 0, sends: [] });
    seqIn(await admit(asked));
    expect(await count()).toBe(0);
    expect((await admit(send())).kind).not.toBe('admitted');
  });

  it('does not let in a call that its owner denied, asked anew or sent again', async () => {
    const { admit, decide, lend } = openGate();
    const shown = preview({ session: 'work', startedBy: 'call_start' });
    const denied = send({ shown }, { text: 'rm -rf x' });
    const { id, code } = approvalIn(await admit(denied));
    await lend(send({ shown }));
    expect(await decide(code, 'deny')).toEqual({ state: 'denied' });
    for (const again of [{}, { retryOf: id }])
      expect((await admit({ ...denied, ...again, callId: crypto.randomUUID() })).kind).not.toBe('admitted');
    expect((await admit(send())).kind).toBe('admitted');
  });

  it('is over for good once the clock was set back before it was lent', () =>
    inNewGate((sql) => {
      const loans = new Loans(sql, () => undefined);
      const [asked, now] = [start(), Date.now()];
      loans.offer({ ...asked, id: 'a', code: 'A' } as never, now);
      loans.begin('a', asked, 1, now);
      expect(loans.of(send(), now)).toBeDefined();
      for (const at of [now - LOAN_MS / 2, now + 1]) expect(loans.of(send(), at)).toBeUndefined();
    }));

  it('ends when it is taken back, once', async () => {
    const { lend, admit, stub } = openGate();
    await lend(start());
    const [loan] = await stub.loans();
    expect((await stub.endLoans({ id: '' })).count).toBe(0);
    expect((await stub.endLoans({ id: loan?.id ?? '' })).count).toBe(1);
    expect((await stub.endLoans({ id: loan?.id ?? '' })).count).toBe(0);
    expect((await admit(send())).kind).toBe('look');
  });

  it.each([
    ['its caller', { principal: 'token:ada' }, 1],
    ['another caller', { principal: 'token:eve' }, 0],
    ['its machine', { machineId: 'm_1' }, 1],
    ['another machine', { machineId: 'm_2' }, 0],
    ['everybody', {}, 1],
  ])('ends, or not, with %s being shut out', async (_, which, ended) => {
    const { lend, stub, count } = openGate();
    await lend(start());
    expect([(await stub.endLoans(which)).count, await count()]).toEqual([ended, 1 - ended]);
  });

  it('names, when it is taken back, what it let in and a machine may still type, until that has ended', async () => {
    const { lend, admit, settle, stub } = openGate();
    const shown = preview({ session: 'work', startedBy: 'call_start' });
    const approved = send({ shown });
    await lend(approved);
    const [waits, unsure, done, failed] = [send(), send(), send(), send()];
    seqIn(await admit(waits));
    await settle(seqIn(await admit(unsure)), { outcome: 'failed', code: 'still_running' });
    await settle(seqIn(await admit(done)), {});
    await settle(seqIn(await admit(failed)), { outcome: 'failed', code: 'not_at_prompt' });
    await lend(start({ principal: 'token:eve', machineId: 'm_2' }));
    const others = send({ principal: 'token:eve', machineId: 'm_2' });
    seqIn(await admit(others));
    const loan = (await stub.loans()).find(({ principal }) => principal === 'token:ada');
    const sends = [waits, unsure].map(({ callId }) => ({ callId, machineId: 'm_1' }));
    expect((await stub.endLoans({ principal: 'token:nobody' })).sends).toEqual([]);
    expect((await stub.endLoans({ id: 'loan_none' })).sends).toEqual([]);
    expect(await stub.endLoans({ id: loan?.id ?? '' })).toEqual({ count: 1, sends });
    // Whoever could not be told the first time is told again.
    expect(await stub.endLoans({ id: loan?.id ?? '' })).toEqual({ count: 0, sends });
    expect(await stub.endLoans({ principal: 'token:ada' })).toEqual({ count: 0, sends });
    expect(await stub.endLoans({ machineId: 'm_1' })).toEqual({ count: 0, sends });
    const evesOwn = [{ callId: others.callId, machineId: 'm_2' }];
    expect(await stub.endLoans({ principal: 'token:eve' })).toEqual({ count: 1, sends: evesOwn });
    expect((await stub.endLoans({})).sends).toEqual([...sends, ...evesOwn]);
  });

  const running = (is: boolean) => ({ result: JSON.stringify({ metadata: { running: is } }) });
  it.each<[string, string, Partial<GateEnd>, number]>([
    ['goes on', 'terminal_send', running(true), 1],
    ['has ended', 'terminal_send', running(false), 0],
    ['is not there', 'terminal_send', { outcome: 'failed', code: 'session_not_found' }, 0],
    ['was over', 'terminal_send', { outcome: 'failed', code: 'session_ended' }, 0],
    ['is another one', 'terminal_send', { outcome: 'failed', code: 'changed_since_approval' }, 0],
    ['has no prompt', 'terminal_send', { outcome: 'failed', code: 'not_at_prompt' }, 1],
    ['was interrupted', 'terminal_stop', running(true), 1],
    ['was stopped', 'terminal_stop', running(false), 0],
    ['was started anew', 'terminal_start', running(true), 0],
    ['could not be started anew', 'terminal_start', { outcome: 'failed', code: 'session_exists' }, 1],
  ])('that %s, as the end of %s tells, is lent: %j %s', async (_, tool, end, left) => {
    const { lend, admit, decide, settle, count } = openGate();
    await lend(start());
    const asked = call(
      tool,
      {},
      tool === 'terminal_stop' ? { approval: 'never', risk: 'safe_write' } : START,
    );
    const first = await admit(asked);
    if (first.kind === 'ask') await decide(first.approval.code, 'approve');
    await settle(seqIn(first.kind === 'ask' ? await admit(asked) : first), end);
    expect(await count()).toBe(left);
  });

  it('ends if the call that should have started it failed', async () => {
    const { lend, settle, count } = openGate();
    await settle(await lend(start()), { outcome: 'failed', code: 'outcome_unknown' });
    expect(await count()).toBe(0);
  });

  it('keeps its machine when that is renamed', async () => {
    const { lend, admit, stub } = openGate();
    await stub.machineNamed('m_1', 'mini');
    await lend(start());
    await stub.machineRenamed('m_1', 'maxi');
    expect(await stub.loans()).toMatchObject([{ machine: 'maxi' }]);
    expect(await admit(send())).toMatchObject({ kind: 'admitted' });
  });

  it('is lent once, with the terminal that was started last', async () => {
    const { lend, stub } = openGate();
    await lend(start());
    const asked = start();
    await lend(asked);
    expect((await stub.loans()).map(({ startedBy }) => startedBy)).toEqual([`${asked.callId}_again`]);
  });
});

describe('the hour of a loan', () => {
  it.each([
    ['is not over a moment before its end', LOAN_MS - 1, true],
    ['is over at its end', LOAN_MS, false],
    ['is over after its end', LOAN_MS + 1, false],
    ['is over if the clock was set back', -2 * LOAN_MS, false],
  ])('%s', async (_, later, isLive) => {
    await inNewGate((sql) => {
      const now = Date.now();
      const loans = new Loans(sql, () => undefined);
      const [asked] = [start()];
      const known = { ...asked, id: 'a', code: 'A', shown: START.shown };
      loans.offer(known as unknown as Parameters<Loans['offer']>[0], now);
      loans.begin('a', asked, 1, now + 5_000);
      expect(loans.of(send(), now + later) !== undefined).toBe(isLive);
      expect(loans.list(now + later)).toHaveLength(isLive ? 1 : 0);
    });
  });
});
