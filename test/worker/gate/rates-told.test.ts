import { afterEach, describe, expect, it, vi } from 'vitest';
import { later } from '../auth/owner.ts';
import { openRig, type Rig } from './rig.ts';
import { failureIn, sendBy, type Way } from './ways.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A gate that lets in so many calls of a tool a minute. */
async function limited(rates: Record<string, number>): Promise<Rig> {
  const rig = openRig();
  await rig.gate().changeSetting('rates', rates);
  return rig;
}

const look = { tool: 'desk_look' };

describe('a call over the limit', () => {
  it('over REST says in its header and in its body after how many whole seconds to come back', async () => {
    const rig = await limited({ desk_look: 2 });
    later(0);
    await sendBy('rest', rig, look);
    later(20_400);
    await sendBy('rest', rig, look);
    const answer = await sendBy('rest', rig, look);
    const failure = failureIn(answer);
    expect(failure).toMatchObject({ code: 'rate_limited', http_status: 429, retry_after: 40 });
    if (answer.kind !== 'failed') throw new Error('expected a failure');
    expect(answer.response?.status).toBe(429);
    expect(answer.response?.headers.get('retry-after')).toBe('40');
    later(39_000);
    expect(failureIn(await sendBy('rest', rig, look)).retry_after).toBe(1);
    later(1_000);
    expect(await sendBy('rest', rig, look)).toMatchObject({ kind: 'ok' });
  });

  it.each<Way>(['mute', 'url', 'old', 'cli'])('by way of %s says so in its error', async (way) => {
    const rig = await limited({ desk_look: 1 });
    later(0);
    await sendBy(way, rig, look);
    expect(failureIn(await sendBy(way, rig, look))).toMatchObject({
      code: 'rate_limited',
      http_status: 429,
      retry_after: 60,
    });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('is counted by principal, whatever client they use, and by tool', async () => {
    const rig = await limited({ desk_look: 1, desk_keep: 1 });
    await sendBy('rest', rig, { ...look, client: 'one' });
    expect(failureIn(await sendBy('mute', rig, { ...look, client: 'another' })).code).toBe('rate_limited');
    expect(await sendBy('rest', rig, { ...look, as: 'bob' })).toMatchObject({ kind: 'ok' });
    expect(await sendBy('rest', rig, { tool: 'desk_keep' })).toMatchObject({ kind: 'ok' });
  });
});

describe('what does not use up a limit', () => {
  it('is whatever nobody was asked about and was not let in, nor what came of a call asked for again', async () => {
    const rig = await limited({ desk_keep: 1 });
    const keyed = { tool: 'desk_keep', args: { path: 'a', idempotency_key: 'k' } };
    // Not fitting, not granted: nobody heard of them.
    await sendBy('rest', rig, { tool: 'desk_keep', args: { path: 5 } });
    await sendBy('cli', rig, { tool: 'desk_keep', caller: { scopes: new Set(['read']) } });
    expect(await sendBy('rest', rig, keyed)).toMatchObject({ kind: 'ok' });
    const other = { tool: 'desk_keep', args: { path: 'c' } };
    expect(failureIn(await sendBy('rest', rig, other)).code).toBe('rate_limited');
    expect(await sendBy('rest', rig, keyed)).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect(rig.desk.runs).toHaveLength(1);
  });

  it('is a call that was refused for the limit itself', async () => {
    const rig = await limited({ desk_look: 1 });
    later(0);
    await sendBy('rest', rig, look);
    for (let i = 0; i < 5; i++) await sendBy('rest', rig, look);
    later(60_000);
    expect(await sendBy('rest', rig, look)).toMatchObject({ kind: 'ok' });
  });
});

describe('the owner’s settings', () => {
  it('replace the limit of the contract, both ways and at once', async () => {
    const rig = openRig();
    for (let i = 0; i < 5; i++) await sendBy('rest', rig, look);
    await rig.gate().changeSetting('rates', { desk_look: 3 });
    expect(failureIn(await sendBy('rest', rig, look)).code).toBe('rate_limited');
    await rig.gate().changeSetting('rates', { desk_look: 6 });
    expect(await sendBy('rest', rig, look)).toMatchObject({ kind: 'ok' });
    await rig.gate().changeSetting('rates', { desk_keep: 1 });
    expect(await sendBy('rest', rig, look)).toMatchObject({ kind: 'ok' });
  });

  it('can shut a tool', async () => {
    const rig = await limited({ desk_look: 0 });
    expect(failureIn(await sendBy('rest', rig, look))).toMatchObject({
      code: 'rate_limited',
      retry_after: 60,
    });
  });

  it('say how many may wait', async () => {
    const rig = openRig();
    await rig.gate().changeSetting('max_pending', 1);
    await sendBy('url', rig);
    const failure = failureIn(await sendBy('url', rig, { args: { path: 'b' } }));
    expect(failure).toMatchObject({ code: 'too_many_pending', http_status: 429 });
    expect(rig.announced.all).toHaveLength(1);
  });
});
