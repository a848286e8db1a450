import { describe, expect, it } from 'vitest';
import { api, owner, signedIn } from '../auth/owner.ts';
import { approvalIn, gateCall } from './gate-calls.ts';
import { gateNamed, openRig, type Rig } from './rig.ts';
import { sendBy } from './ways.ts';

interface Feed {
  readonly at: number;
  readonly pending: { code: string }[];
}

/** Far longer than the test may take, so that only news can end the wait. */
const LONG_MS = 60_000;

const ask = (rig: Rig, path: string) => sendBy('url', rig, { args: { path } });

describe('the feed of what waits', { timeout: 50_000 }, () => {
  it('wakes when an approval is opened, when it is decided, and when its caller leaves', async () => {
    const rig = openRig();
    const gate = rig.gate();
    const codesOf = ({ pending }: Feed) => pending.map(({ code }) => code);
    let { at } = await gate.feed(0, 0);
    // On one stub, what is sent first arrives first: the feed waits already when the news comes.
    const news = async (make: () => Promise<unknown>) => {
      const feed = gate.feed(at, LONG_MS);
      await make();
      const told = await feed;
      expect(told.at).toBeGreaterThan(at);
      at = told.at;
      return codesOf(told);
    };
    expect(await news(() => ask(rig, 'a'))).toEqual([rig.announced.all[0]?.code]);
    const both = await news(() => ask(rig, 'b'));
    expect(both.toSorted()).toEqual(rig.announced.all.map(({ code }) => code).toSorted());
    const [one, other] = rig.announced.all;
    expect(await news(() => rig.decide(one?.code ?? ''))).toEqual([other?.code]);
    expect(await news(() => rig.decide(other?.code ?? ''))).toEqual([]);
    const held = gateCall({ digest: 'c' });
    let id = '';
    const opened = await news(async () => {
      id = approvalIn(await gate.admit(held, [])).id;
    });
    expect(opened).toHaveLength(1);
    expect(await news(() => Promise.resolve(gate.leave(id, held.callId)))).toEqual([]);
  });

  it('answers at once about what happened since it was last asked', async () => {
    const rig = openRig();
    const { at } = await rig.gate().feed(0, LONG_MS);
    await ask(rig, 'a');
    const news = await rig.gate().feed(at, LONG_MS);
    expect(news.pending).toHaveLength(1);
    expect(news.at).toBeGreaterThan(at);
  });

  it('is not woken by what is no news', async () => {
    const rig = openRig();
    await ask(rig, 'a');
    const { at } = await rig.gate().feed(0, 0);
    await ask(rig, 'a');
    await rig.decide('ZZZZ-ZZZZ');
    await rig.gate().leave('no such id', 'call');
    await rig.gate().answered(rig.announced.all[0]?.id ?? '', 1);
    await sendBy('rest', rig, { tool: 'desk_keep' });
    expect(await rig.gate().feed(at, 0)).toMatchObject({ at, pending: [{}] });
  });

  it('tells nobody anything who was signed out while they waited', async () => {
    const rig = openRig({ name: 'owner' });
    const visit = await signedIn();
    const { at } = await gateNamed('owner').feed(0, 0);
    const waits = [visit.send(`/live?after=${at}`), api(visit, 'GET', `feed?after=${at}&wait=25`)];
    // Both have been let in once a later question on the same way is answered.
    await visit.send('/live?after=-1');
    await owner().closeSession(visit.id);
    await ask(rig, crypto.randomUUID());
    const [live, feed] = await Promise.all(waits);
    expect([live?.status, live?.headers.get('location')]).toEqual([303, '/signin']);
    expect([feed?.status, await feed?.text()]).toEqual([401, expect.not.stringContaining('pending')]);
    await rig.decide((await rig.announced.nth(1)).code, 'deny');
  });

  it('reaches the owner, who says since when and how long they wait', async () => {
    const rig = openRig({ name: 'owner' });
    const visit = await signedIn();
    const read = async (query: string): Promise<Feed> => (await api(visit, 'GET', `feed?${query}`)).json();
    const { at } = await read('');
    const answer = read(`after=${at}&wait=25`);
    await ask(rig, crypto.randomUUID());
    const [{ code = '' } = {}] = rig.announced.all;
    const news = await answer;
    expect(news.pending).toMatchObject([{ code, state: 'pending', tool: 'desk_write' }]);
    const decided = read(`after=${news.at}&wait=25`);
    await gateNamed('owner').decide(code, 'deny', 'test', true);
    expect((await decided).pending).toEqual([]);
  });
});
