import { describe, expect, it } from 'vitest';
import { callerNamed } from '../../support/gate-tools.ts';
import { SOON_MS } from '../../support/soon.ts';
import { GATEWAY } from '../http.ts';
import { openRig, type Rig } from './rig.ts';
import { failureIn, mcpRequest, type Sent, sendBy, type Way } from './ways.ts';

const ada = callerNamed('ada', { via: 'mcp' });

/** Sends a call over MCP, and reads its answer up to the first word of progress. */
async function untilProgress(way: Way, rig: Rig, sent?: Sent) {
  const response = await rig.mcp(mcpRequest(way, sent), ada);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('expected a body');
  let heard = '';
  while (!heard.includes('notifications/progress')) heard += (await reader.read()).value ?? '';
  return { reader, heard };
}

describe('a client that is held', () => {
  it.each<Way>(['mute', 'old'])(
    'by way of %s hears so while it is, and then what came of it',
    async (way) => {
      const rig = openRig();
      const { reader, heard } = await untilProgress(way, rig);
      const { code } = await rig.announced.nth(1);
      expect(heard).toContain(
        `Waiting for the owner to decide about ${code}: http://localhost/approvals/${code}`,
      );
      expect(rig.desk.runs).toEqual([]);
      await rig.decide(code);
      let rest = '';
      for (let next = await reader.read(); !next.done; next = await reader.read()) rest += next.value;
      expect(rest).toContain('run 1');
    },
  );
});

describe('a caller who leaves while the call is held', () => {
  const withdrawn = async (rig: Rig, code: string) => {
    await expect
      .poll(async () => (await rig.gate().approval(code))?.state, { timeout: SOON_MS })
      .toBe('expired');
    expect(await rig.decide(code)).toMatchObject({ refused: 'approval_expired' });
    expect(rig.desk.runs).toEqual([]);
    expect(await rig.gate().approvals('pending')).toEqual([]);
    expect(await rig.ledger()).toMatchObject([{ outcome: 'failed', code: 'cancelled' }]);
    // The same call is a new one.
    const again = sendBy('rest', rig);
    await rig.decide((await rig.announced.nth(2)).code);
    expect(await again).toMatchObject({ text: 'run 1' });
  };

  it('over REST is withdrawn with the approval', async () => {
    const rig = openRig();
    const gone = new AbortController();
    const answer = rig.rest.request(`${GATEWAY}/tools/desk_write`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'ada' },
      body: '{"path":"a"}',
      signal: gone.signal,
    });
    const { code } = await rig.announced.nth(1);
    await rig.holds.nth(1);
    gone.abort();
    expect(failureOf(await (await answer).json())).toBe('cancelled');
    await withdrawn(rig, code);
  });

  it.each<Way>(['mute', 'old'])('by way of %s too', async (way) => {
    const rig = openRig();
    const { reader } = await untilProgress(way, rig);
    await rig.holds.nth(1);
    await reader.cancel();
    await withdrawn(rig, (await rig.announced.nth(1)).code);
  });

  it('takes nothing from another who waits for the same call', async () => {
    const rig = openRig();
    const gone = new AbortController();
    const leaving = sendBy('cli', rig, { caller: { signal: gone.signal } });
    await rig.holds.nth(1);
    const staying = sendBy('cli', rig);
    await rig.holds.nth(2);
    gone.abort();
    await leaving;
    await rig.decide((await rig.announced.nth(1)).code);
    expect(await staying).toMatchObject({ text: 'run 1' });
    expect(rig.announced.all).toHaveLength(1);
  });

  it('takes nothing from one who was told to come back', async () => {
    const rig = openRig();
    expect(failureIn(await sendBy('cli', rig, { caller: { waitsMs: 0 } })).code).toBe('approval_required');
    const gone = new AbortController();
    const leaving = sendBy('cli', rig, { caller: { signal: gone.signal } });
    await rig.holds.nth(1);
    gone.abort();
    await leaving;
    const { code } = await rig.announced.nth(1);
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'pending' });
    await rig.decide(code);
    expect(await sendBy('rest', rig)).toMatchObject({ text: 'run 1' });
  });

  it('takes nothing from one whose client asks its person meanwhile', async () => {
    const rig = openRig();
    const asked = await sendBy('url', rig);
    if (asked.kind !== 'asked') throw new Error('expected a question');
    const gone = new AbortController();
    const leaving = sendBy('cli', rig, { caller: { signal: gone.signal } });
    await rig.holds.nth(1);
    gone.abort();
    await leaving;
    await rig.decide((await rig.announced.nth(1)).code);
    const accepted = { approval: { action: 'accept', content: {} } };
    const back = await sendBy('url', rig, { state: asked.state, responses: accepted });
    expect(back).toMatchObject({ text: 'run 1' });
    expect(rig.announced.all).toHaveLength(1);
  });

  it('is withdrawn if its client asked its person before, and came back', async () => {
    const rig = openRig();
    const asked = await sendBy('url', rig);
    if (asked.kind !== 'asked') throw new Error('expected a question');
    const responses = { approval: { action: 'accept', content: {} } };
    const { reader } = await untilProgress('url', rig, { state: asked.state, responses });
    const { code } = await rig.announced.nth(1);
    await reader.cancel();
    await expect
      .poll(async () => (await rig.gate().approval(code))?.state, { timeout: SOON_MS })
      .toBe('expired');
    expect(await rig.decide(code)).toMatchObject({ refused: 'approval_expired' });
    expect(rig.desk.runs).toEqual([]);
  });

  it('is withdrawn when the last of several has left', async () => {
    const rig = openRig();
    const gone = [new AbortController(), new AbortController()];
    const leaving = [];
    for (const [i, { signal }] of gone.entries()) {
      leaving.push(sendBy('cli', rig, { caller: { signal } }));
      await rig.holds.nth(i + 1);
    }
    const { code } = await rig.announced.nth(1);
    for (const [i, one] of gone.entries()) {
      one.abort();
      await leaving[i];
      expect((await rig.gate().approval(code))?.state).toBe(i === 0 ? 'pending' : 'expired');
    }
  });
});

const failureOf = (body: unknown) => (body as { code?: string }).code;

describe('a caller who leaves while it is looked at what the call would do', () => {
  it.each<Way>(['rest', 'mute'])('by way of %s leaves the owner in peace', async (way) => {
    const rig = openRig();
    const gone = new AbortController();
    const looking = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    rig.desk.look = async () => {
      looking.resolve();
      await found.promise;
      return { facts: [], files: null, diff: null, state: null };
    };
    const sent =
      way === 'rest'
        ? rig.rest.request(`${GATEWAY}/tools/desk_mend`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: 'ada' },
            body: '{"path":"a"}',
            signal: gone.signal,
          })
        : rig.mcp(new Request(mcpRequest(way, { tool: 'desk_mend' }), { signal: gone.signal }), ada);
    await looking.promise;
    gone.abort();
    found.resolve();
    await Promise.resolve(sent).then(
      (response) => response.text(),
      () => undefined,
    );
    let calls = await rig.ledger();
    while (calls.length === 0) calls = await rig.ledger();
    expect(calls).toMatchObject([{ outcome: 'failed', code: 'cancelled' }]);
    expect(await rig.gate().approvals('pending')).toEqual([]);
    expect(rig.announced.all).toEqual([]);
  });
});
