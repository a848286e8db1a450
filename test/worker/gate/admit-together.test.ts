import { describe, expect, it } from 'vitest';
import type { GateReply } from '../../../src/gate/messages.ts';
import { gateCall } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

const saidTo = (reply: GateReply) => (reply.kind === 'refused' ? reply.code : reply.kind);
const end = { at: 0, outcome: 'ok', code: null, bytes: 2, result: '{}' } as const;

describe('calls that are decided together', () => {
  it('are counted as if each had come alone', async () => {
    const gate = gateNamed(crypto.randomUUID());
    const read = () => gateCall({ risk: 'read_only', approval: 'never', perMinute: 5 });
    const replies = await gate.admitAll(Array.from({ length: 7 }, read), []);
    expect(replies.map(saidTo)).toEqual([...Array(5).fill('admitted'), 'rate_limited', 'rate_limited']);
    expect(saidTo(await gate.admit(read(), []))).toBe('rate_limited');
    const { entries } = await gate.ledger({});
    expect(entries.map(({ seq }) => seq)).toEqual([5, 4, 3, 2, 1]);
  });

  it('run a change under one key once, however often it is among them', async () => {
    const gate = gateNamed(crypto.randomUUID());
    const change = () => gateCall({ approval: 'never', idempotencyKey: 'k' });
    const replies = await gate.admitAll([change(), change(), change()], []);
    expect(replies.map(saidTo)).toEqual(['admitted', 'unsettled', 'unsettled']);
  });

  it('use up one yes once', async () => {
    const gate = gateNamed(crypto.randomUUID());
    const change = () => gateCall({ digest: 'asked' });
    const [asked] = await gate.admitAll([change()], []);
    if (asked?.kind !== 'ask') throw new Error(`expected a wait, got ${JSON.stringify(asked)}`);
    await gate.decide(asked.approval.code, 'approve', 'owner', true);
    const replies = await gate.admitAll([change(), change()], []);
    expect(replies.map(saidTo).filter((said) => said === 'admitted')).toHaveLength(1);
  });

  it('bring the ends of earlier ones, although one of them cannot be decided', async () => {
    const gate = gateNamed(crypto.randomUUID());
    const read = (change = {}) => gateCall({ risk: 'read_only', approval: 'never', ...change });
    await gate.admitAll([read()], []);
    // The ledger's columns take no null here: what it says about this call is that it failed.
    const broken = read({ tool: null });
    const replies = await gate.admitAll([broken, read()], [{ seq: 1, end }]);
    expect(replies.map(saidTo)).toEqual(['threw', 'admitted']);
    const { entries } = await gate.ledger({});
    expect(entries.map(({ seq, outcome }) => [seq, outcome])).toEqual([
      [2, null],
      [1, 'ok'],
    ]);
  });
});
