import { describe, expect, it } from 'vitest';
import { openRig } from './rig.ts';
import { asking, failureIn, sendBy, sendOn, type Way, ways } from './ways.ts';

describe.each(ways)('a call by way of %s that needs a yes', (way) => {
  it('is held, and runs once when the owner says yes', async () => {
    const rig = openRig();
    const answer = sendOn(way, rig);
    const { code } = await rig.announced.nth(1);
    await rig.holds.nth(1);
    expect(rig.desk.runs).toEqual([]);
    expect(await rig.decide(code)).toEqual({ state: 'approved' });
    expect(await answer).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect(rig.desk.runs).toMatchObject([{ tool: 'desk.write', path: 'a' }]);
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'consumed' });
    expect(rig.announced.all).toHaveLength(1);
  });

  it('is refused when the owner says no, then and afterwards', async () => {
    const rig = openRig();
    const answer = sendOn(way, rig);
    const { code } = await rig.announced.nth(1);
    await rig.decide(code, 'deny');
    expect(failureIn(await answer)).toMatchObject({ code: 'approval_denied', http_status: 403 });
    expect(failureIn(await sendBy(way, rig))).toMatchObject({ code: 'approval_denied' });
    expect(rig.desk.runs).toEqual([]);
    expect(rig.announced.all).toHaveLength(1);
  });

  it('runs at once if the owner has said yes before it comes', async () => {
    const rig = openRig();
    await askedBy('url', rig);
    await rig.decide((await rig.announced.nth(1)).code);
    expect(await sendBy(way, rig)).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect(rig.holds.all).toEqual([]);
  });
});

describe('the question to the person at the client', () => {
  it('leads a client that can open pages to the page of the approval', async () => {
    const rig = openRig();
    const answer = await sendBy('url', rig);
    const { code } = await rig.announced.nth(1);
    expect(answer).toMatchObject({
      kind: 'asked',
      params: {
        mode: 'url',
        url: `http://localhost/approvals/${code}`,
        message: expect.stringContaining(code),
      },
    });
    // The protocol of 2026 has none.
    expect(JSON.stringify(answer)).not.toContain('elicitationId');
    expect(rig.holds.all).toEqual([]);
  });

  it('says in a form only where to decide, and asks for nothing', async () => {
    const rig = openRig();
    const answer = await sendBy('form', rig);
    const { code } = await rig.announced.nth(1);
    const message = `desk_write\nDecide about ${code} in Bowline (http://localhost/approvals/${code}), then continue. Continuing here approves nothing by itself.`;
    expect(answer).toMatchObject({
      kind: 'asked',
      params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } },
    });
  });

  it.each(asking)('answered with yes by way of %s approves nothing', async (way) => {
    const rig = openRig();
    const { state } = await askedBy(way, rig);
    const content = { approve: true, approved: 'yes', decision: 'approve' };
    const responses = { approval: { action: 'accept', content } };
    const retry = sendBy(way, rig, { state, responses });
    await rig.holds.nth(1);
    const { code } = await rig.announced.nth(1);
    expect(rig.desk.runs).toEqual([]);
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'pending', decidedAt: null });
    await rig.decide(code, 'deny');
    expect(failureIn(await retry)).toMatchObject({ code: 'approval_denied' });
  });

  it.each(asking)(
    'answered with no by way of %s leaves the decision to the owner, and holds nobody',
    async (way) => {
      const rig = openRig();
      const { state } = await askedBy(way, rig);
      const responses = { approval: { action: 'decline' } };
      const retry = await sendBy(way, rig, { state, responses });
      expect(failureIn(retry)).toMatchObject({ code: 'approval_required' });
      expect(rig.holds.all).toEqual([]);
      const { code } = await rig.announced.nth(1);
      expect(await rig.gate().approval(code)).toMatchObject({ state: 'pending', decidedAt: null });
      await rig.decide(code);
      expect(rig.desk.runs).toEqual([]);
      expect(await sendBy('rest', rig)).toMatchObject({ kind: 'ok', text: 'run 1' });
    },
  );

  it.each(asking)('put aside by way of %s leaves the decision to the owner', async (way) => {
    const rig = openRig();
    const { state } = await askedBy(way, rig);
    const retry = sendBy(way, rig, { state, responses: { approval: { action: 'cancel' } } });
    await rig.holds.nth(1);
    await rig.decide((await rig.announced.nth(1)).code);
    expect(await retry).toMatchObject({ kind: 'ok' });
  });

  it('is put once: a client that comes back without an answer is held', async () => {
    const rig = openRig();
    const { state } = await askedBy('url', rig);
    const retry = sendBy('url', rig, { state });
    await rig.holds.nth(1);
    await rig.decide((await rig.announced.nth(1)).code);
    expect(await retry).toMatchObject({ kind: 'ok', text: 'run 1' });
  });
});

describe('a held call', () => {
  it.each<Way>(['mute', 'url', 'form', 'old', 'cli'])(
    'by way of %s says at once that it is held',
    async (way) => {
      const rig = openRig();
      const answer = sendOn(way, rig);
      await rig.holds.nth(1);
      await rig.decide((await rig.announced.nth(1)).code);
      expect((await answer).progress.slice(0, 1)).toEqual([0]);
    },
  );
});

async function askedBy(way: Way, rig: ReturnType<typeof openRig>) {
  const answer = await sendBy(way, rig);
  if (answer.kind !== 'asked') throw new Error(`expected a question, got ${JSON.stringify(answer)}`);
  return answer;
}
