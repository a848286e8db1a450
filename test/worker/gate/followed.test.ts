import { describe, expect, it } from 'vitest';
import { SOON_MS } from '../../support/soon.ts';
import { approvalIn, gateCall } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

const fresh = () => gateNamed(crypto.randomUUID());
const ask = async (gate: ReturnType<typeof fresh>) => approvalIn(await gate.admit(gateCall(), []));

describe('a call that its caller follows', () => {
  it('shows its state from the question to the end, to that caller alone', async () => {
    const gate = fresh();
    const { id, code } = await ask(gate);
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'pending', code, call: null, ran: null });
    await gate.decide(code, 'approve', 'owner', true);
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'approved', call: { tool: 'desk_write' } });
    const again = await gate.admit(gateCall({ retryOf: id }), []);
    if (again.kind !== 'admitted' || again.seq === null) throw new Error(again.kind);
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'consumed', ran: { outcome: null } });
    const end = { at: Date.now(), outcome: 'ok', code: null, bytes: 2, result: '{}' } as const;
    await gate.settle([{ seq: again.seq, end }]);
    expect(await gate.followed(id, 'ada')).toMatchObject({ ran: { outcome: 'ok', result: '{}' } });
    expect(await gate.followed(id, 'bob')).toBeNull();
    expect(await gate.followed('no such', 'ada')).toBeNull();
  });

  it('is withdrawn by its caller alone, also after a yes that nobody used', async () => {
    const gate = fresh();
    const { id, code } = await ask(gate);
    await gate.answered(id, 1);
    await gate.withdraw(id, 'bob');
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'pending' });
    await gate.decide(code, 'approve', 'owner', true);
    await gate.withdraw(id, 'ada');
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'withdrawn' });
    expect((await gate.admit(gateCall({ retryOf: id }), [])).kind).toBe('ask');
  });

  it('is not withdrawn while another caller is held for it', async () => {
    const gate = fresh();
    const { id, code } = await ask(gate);
    const held = gate.awaitDecision(id, 30_000, 'call_held');
    await expect.poll(() => gate.waitsFor(code), { timeout: SOON_MS }).toBe(true);
    await gate.withdraw(id, 'ada');
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'pending' });
    await gate.decide(code, 'deny', 'owner', true, 'No.');
    await held;
    expect(await gate.followed(id, 'ada')).toMatchObject({ state: 'denied', note: 'No.' });
  });
});
