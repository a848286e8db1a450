import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it } from 'vitest';
import { chained, saidEntries } from '../../support/memory-log.ts';
import { api, browser, inOwner, type OwnerBrowser, owner, signedIn } from '../auth/owner.ts';
import { gateNamed } from '../gate/rig.ts';
import { ruleFor } from '../gate/rule-drafts.ts';

const log = [...chained(saidEntries(4))];
const whole = { total: log.length, head: log.at(-1)?.hash ?? '' };
const call = {
  ...{ seq: -1, id: 'call_old', at: 1_767_950_000_000, principal: 'app', client: 'Claude', via: 'mcp' },
  ...{ tool: 'hello', machine: null, digest: 'a'.repeat(64), args: '{}', decision: 'allow' },
  ...{ because: 'read_only', outcome: 'ok', code: null, bytes: 10, durationMs: 3 },
};
const gate = () => gateNamed('owner');
const memory = () => env.MEMORY.get(env.MEMORY.idFromName('owner'));

afterEach(async () => {
  await owner().removePasskey('a-key');
  for (const { id } of await gate().rules()) await gate().removeRule(id);
});

async function step(body: unknown, own?: OwnerBrowser): Promise<Record<string, unknown>> {
  const answer = await api(own ?? (await signedIn()), 'POST', 'restore', body);
  return { status: answer.status, ...(await answer.json<Record<string, unknown>>()) };
}
const refused = (because: string) => ({
  ...{ status: 409, code: 'not_restored', message: expect.stringContaining(because) },
  suggestion: expect.stringContaining('set up afresh'),
});

// In this order: each leaves the gateway as the next one finds it.
describe('a backup', () => {
  it('is brought in by the owner alone, who has just shown that it is them', async () => {
    const begin = { do: 'begin', log: whole };
    const stranger = await browser().send('/api/owner/restore', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bwl_pat_x' },
      body: JSON.stringify(begin),
    });
    expect(stranger.status).toBe(401);
    await owner().savePasskey({
      ...{ id: 'a-key', name: 'Phone', counter: 0 },
      ...{ publicKey: new ArrayBuffer(8), transports: [] },
    });
    const own = await signedIn();
    await inOwner((sql) => sql.exec('UPDATE session SET proven_at = 0'));
    expect(await step(begin, own)).toMatchObject({ status: 403, code: 'proof_needed' });
    expect(await memory().isRestoring()).toBe(false);
  });

  it.each([
    ['no step', { do: 'everything' }],
    ['a hash that is none', { do: 'begin', log: { total: 1, head: 'x' } }],
    ['a call of the gateway’s own numbers', { do: 'calls', calls: [{ ...call, seq: 1 }] }],
  ])('is refused as %s', async (_, body) => {
    expect(await step(body)).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  it('brings no calls before it has begun, and does not begin where there are rules', async () => {
    expect(await step({ do: 'calls', calls: [call] })).toMatchObject(refused('no restore has begun'));
    await gate().addRule(ruleFor(), true);
    expect(await step({ do: 'begin', log: whole })).toMatchObject(refused('it has rules already'));
    expect(await memory().isRestoring()).toBe(false);
  });

  it('comes in step by step: the log as it was, and each call once', async () => {
    expect(await step({ do: 'begin', log: whole })).toMatchObject({ status: 200, seq: 0 });
    expect(await step({ do: 'take', entries: log.slice(0, 2) })).toMatchObject({ seq: 2 });
    expect(await step({ do: 'take', entries: log.slice(3) })).toMatchObject(refused('numbered 4'));
    expect(await step({ do: 'end', checkpoints: [] })).toMatchObject(refused('2 of 4'));
    // Taken up where it broke off.
    expect(await step({ do: 'begin', log: whole })).toMatchObject({ seq: 2 });
    expect(await step({ do: 'take', entries: log.slice(2) })).toMatchObject({ seq: 4 });
    for (const _ of ['once', 'twice'])
      expect(await step({ do: 'calls', calls: [call] })).toMatchObject({ status: 200, taken: 1 });
    const other = { ...call, id: 'call_other' };
    expect(await step({ do: 'calls', calls: [other] })).toMatchObject(
      refused('call -1 differs from the one here'),
    );
    expect(await step({ do: 'end', checkpoints: [] })).toMatchObject({ status: 200, seq: 4 });
    expect((await memory().export(0, 100_000)).entries).toEqual(log);
    expect((await gate().ledger({ before: 0, limit: 10 })).entries).toMatchObject([
      { seq: -1, id: 'call_old' },
    ]);
  });

  it('does not come in a second time', async () => {
    expect(await step({ do: 'begin', log: whole })).toMatchObject(refused('a ledger was restored here'));
    expect(await step({ do: 'take', entries: log.slice(0, 1) })).toMatchObject(
      refused('no restore has begun'),
    );
  });
});
