import { afterEach, describe, expect, it, vi } from 'vitest';
import { writeMemoryEntry } from '../../../contracts/memory.ts';
import { machineFailure } from '../../../src/core/machine-failure.ts';
import { AT_THE_GATEWAY, prepareCall } from '../../../src/core/prepared-call.ts';
import { gateCall } from '../../../src/gate/gate-call.ts';
import { type LatePorts, runLate } from '../../../src/gate/run-late.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { SOON_MS } from '../../support/soon.ts';
import { api, later, type OwnerBrowser, owner, personalToken, signedIn } from '../auth/owner.ts';
import { send } from '../http.ts';
import { approvalIn } from './gate-calls.ts';
import { gateNamed, openRig, type Rig } from './rig.ts';
import { askFor, failureIn, sendBy } from './ways.ts';

const gate = () => gateNamed('owner');
afterEach(() => {
  vi.useRealTimers();
});

/** A call of the product's own, asked for with a token by somebody who does not wait. */
async function asked(scopes: Parameters<typeof personalToken>[0] = ['read', 'write']) {
  const { secret, token } = await personalToken(scopes);
  const args = { file: 'best_practices.md', entry: `- ${crypto.randomUUID()}` };
  const input = writeMemoryEntry.input.parse(args);
  const caller = callerNamed(`token:${token.id}`, { via: 'rest' });
  const callId = `call_${crypto.randomUUID()}`;
  const prepared = prepareCall({ callId, contract: writeMemoryEntry, caller, input }, AT_THE_GATEWAY);
  const shown = { why: 'Tests show none.' };
  const { code } = approvalIn(await gate().admit({ ...gateCall(prepared), shown }, []));
  const call = () =>
    send('/tools/write_memory_entry', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
  // A press that came second is refused, or answered with the outcome of the first: neither is a run.
  const runs = async () =>
    (await gate().ledger({ principal: `token:${token.id}` })).entries.filter(
      ({ via, decision }) => via === 'owner' && decision !== 'refused' && decision !== 'replayed',
    );
  return { code, token, call, runs };
}

const run = (visit: OwnerBrowser, code: string) =>
  visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision: 'run' });

describe('a yes that comes when nobody waits', () => {
  it('runs the call, keeps the outcome, and gives it to the same call once', async () => {
    const visit = await signedIn();
    const { code, call, runs } = await asked();
    const html = await (await visit.send(`/approvals/${code}`)).text();
    expect(html).toContain('Run now');
    expect(html).toContain('Allow when asked again');
    expect((await run(visit, code)).status).toBe(303);
    const [ran, ...others] = await runs();
    expect(others).toEqual([]);
    expect(ran).toMatchObject({ decision: 'approved', because: `approval ${code}`, outcome: 'ok' });
    expect(await (await visit.send(`/approvals/${code}`)).text()).toContain(`href="/ledger/${ran?.seq}"`);
    expect(await (await call()).json()).toMatchObject({ success: true, replayed: true });
    // The next one is a new call, and asks.
    let isAnswered = false;
    const asking = call().finally(() => {
      isAnswered = true;
    });
    await vi.waitUntil(async () => isAnswered || (await gate().approvals('pending')).length > 0, {
      timeout: SOON_MS,
    });
    const [next] = await gate().approvals('pending');
    expect({ isAnswered, isAnother: next !== undefined && next.code !== code }).toEqual({
      isAnswered: false,
      isAnother: true,
    });
    await gate().decide(next?.code ?? '', 'deny', 'ada', true);
    expect((await asking).status).toBe(403);
    expect(await runs()).toHaveLength(1);
  });

  it('may be left lying for the call to come back, and can still be run', async () => {
    const visit = await signedIn();
    const { code, runs } = await asked();
    await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision: 'approve' });
    expect(await runs()).toEqual([]);
    const answer = await api(visit, 'POST', `approvals/${code}`, { decision: 'run' });
    expect([answer.status, await answer.json()]).toEqual([200, { state: 'approved', outcome: 'ok' }]);
    expect(await runs()).toHaveLength(1);
  });

  it('runs once, however often it is pressed at once', async () => {
    const visit = await signedIn();
    const { code, runs } = await asked();
    await Promise.all([run(visit, code), run(visit, code), run(visit, code)]);
    expect(await runs()).toHaveLength(1);
    expect((await run(visit, code)).status).toBe(409);
    expect(await runs()).toHaveLength(1);
  });

  it('runs nothing for a caller who was shut out since', async () => {
    const visit = await signedIn();
    const { code, token, runs } = await asked();
    await owner().revokeToken(token.id);
    const answer = await run(visit, code);
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('revoked')]);
    expect(await runs()).toEqual([]);
  });

  it('runs nothing that the caller may not do any more', async () => {
    const visit = await signedIn();
    const { code, runs } = await asked(['read']);
    expect((await api(visit, 'POST', `approvals/${code}`, { decision: 'run' })).status).toBe(403);
    expect((await runs()).filter(({ outcome }) => outcome === 'ok')).toEqual([]);
  });

  it('runs nothing that a rule forbids by now', async () => {
    const visit = await signedIn();
    const { code, runs } = await asked();
    const rule = await gate().addRule(
      {
        ...{ tool: 'write_memory_entry', machine: null, effect: 'deny', match: { kind: 'any' }, note: '' },
        ...{ expiresAt: Date.now() + 60_000, maxUses: null, examples: { must: [], mustNot: [] } },
      },
      true,
    );
    const answer = await run(visit, code);
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('rule')]);
    expect((await runs()).filter(({ outcome }) => outcome === 'ok')).toEqual([]);
    if ('id' in rule) await gate().removeRule(rule.id);
  });

  it('runs nothing once its time is over, before the yes or after it', async () => {
    const visit = await signedIn();
    const [first, second] = [await asked(), await asked()];
    await visit.submit(`/approvals/${second.code}`, { csrf: visit.csrf, decision: 'approve' });
    later(10 * 60_000);
    for (const { code, runs } of [first, second]) {
      expect((await run(await signedIn(), code)).status).toBe(409);
      expect(await runs()).toEqual([]);
    }
  });

  it('asks for the same proof as any other yes', async () => {
    const rig = openRig();
    const { code } = await askFor(rig, { tool: 'desk_burn' });
    for (const state of ['pending', 'approved']) {
      expect((await rig.gate().approval(code))?.state).toBe(state);
      expect(await rig.gate().decide(code, 'run', 'ada', false)).toMatchObject({ refused: 'proof_needed' });
      await rig.decide(code);
    }
  });
});

describe('what is run late', () => {
  const portsOf = (rig: Rig, change: Partial<LatePorts> = {}): LatePorts => ({
    approvedCall: (code) => rig.gate().approvedCall(code),
    find: async (name) => rig.tools.get(name),
    scopesOf: async () => new Set(['read', 'write', 'machine'] as const),
    later: () => undefined,
    ...change,
  });

  it('is the call that was approved, on the machine it was approved for', async () => {
    const rig = openRig();
    const { code } = await askFor(rig, { args: { path: 'a', machine: 'mini' } });
    await rig.decide(code);
    const changed = (change: object): LatePorts => {
      const approvedCall = async (asked: string) => {
        const found = await rig.gate().approvedCall(asked);
        return found && { ...found, ...change };
      };
      return portsOf(rig, { approvedCall });
    };
    for (const change of [
      { sent: '{"content":"","path":"b","repeat":false}' },
      { principal: 'eve' },
      { tool: 'desk_burn' },
    ]) {
      expect(await runLate(code, changed(change))).toMatchObject({ failure: { code: 'approval_mismatch' } });
    }
    expect(rig.desk.runs).toEqual([]);
  });

  it('ends within seconds after its caller is shut out', async () => {
    const rig = openRig();
    const { code } = await askFor(rig);
    await rig.decide(code);
    let isLetIn = true;
    let isOver = false;
    rig.desk.act = async (_, call) => {
      isLetIn = false;
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }));
      isOver = true;
      return call.ok({ text: 'over' });
    };
    vi.useFakeTimers();
    const scopesOf = async () => (isLetIn ? new Set(['read', 'write', 'machine'] as const) : undefined);
    const ran = runLate(code, portsOf(rig, { scopesOf }));
    await vi.waitUntil(() => !isLetIn, { timeout: SOON_MS });
    // Before the tool's own time is up, which would end it as well.
    await vi.advanceTimersByTimeAsync(4_000);
    expect(isOver).toBe(true);
    vi.useRealTimers();
    await ran;
  });

  it('is asked about anew if it did not run after all', async () => {
    const rig = openRig();
    rig.desk.act = () => machineFailure('machine_offline', {});
    const { code } = await askFor(rig);
    await rig.decide(code);
    expect(await runLate(code, portsOf(rig))).toMatchObject({ failure: { code: 'machine_offline' } });
    expect((await askFor(rig)).code).not.toBe(code);
  });

  it('gives its failure to the same call, and its outcome to nobody else', async () => {
    const rig = openRig();
    rig.desk.act = (_, call) => call.fail('full');
    const { code } = await askFor(rig);
    await rig.decide(code);
    await runLate(code, portsOf(rig));
    await askFor(rig, { as: 'eve' });
    expect(failureIn(await sendBy('url', rig))).toMatchObject({ code: 'full', replayed: true });
  });

  it('is not for whoever came back in time', async () => {
    const rig = openRig();
    const { code } = await askFor(rig);
    await rig.decide(code);
    expect(await sendBy('url', rig)).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect(await runLate(code, portsOf(rig))).toMatchObject({ failure: { code: 'approval_used' } });
    // What it ran by itself is not told again to a new call.
    expect((await askFor(rig)).code).not.toBe(code);
  });
});
