import { evictDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RuleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { later } from '../auth/owner.ts';
import { openRig, type Rig } from './rig.ts';
import { addRules, noFor, rigWith, ruleFor } from './rule-drafts.ts';
import { failureIn, sendBy, ways } from './ways.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DAY = 86_400_000;
/** For one path, the other arguments being whatever they are. */
const forPath = (equals: string): Partial<RuleDraft> => ({
  match: { kind: 'arguments', fields: { path: { equals }, content: { any: true } } },
  examples: { must: [`{"path":"${equals}"}`], mustNot: ['{"path":"other"}'] },
});

const docs = (name: string, more: object = {}) => ({ args: { path: `docs/${name}`, ...more } });

/** What becomes of a call of a client that is asked first: whether it runs, or asks, or why it does neither. */
async function fateOf(rig: Rig, sent: object): Promise<string> {
  const answer = await sendBy('url', rig, sent);
  return answer.kind === 'failed' ? answer.failure.code : answer.kind;
}

describe('a rule that allows', () => {
  it.each(ways)('lets a call by way of %s run without a yes, and is named in the ledger', async (way) => {
    const { rig, ids } = await rigWith(ruleFor());
    expect(await sendBy(way, rig, docs('a', { content: 'x' }))).toMatchObject({ kind: 'ok', text: 'run 1' });
    expect(rig.announced.all).toEqual([]);
    expect(await rig.ledger()).toMatchObject([{ decision: 'allowed', because: `rule ${ids[0]}` }]);
    expect(await rig.gate().rules()).toMatchObject([{ id: ids[0], uses: 1 }]);
  });

  it('counts its uses, and no call that it did not let run', async () => {
    const { rig } = await rigWith(ruleFor());
    for (const name of ['a', 'b', 'a']) await sendBy('rest', rig, docs(name));
    expect(await fateOf(rig, { args: { path: 'src/a' } })).toBe('asked');
    expect(await rig.gate().rules()).toMatchObject([{ uses: 3 }]);
  });

  it('says nothing about other calls', async () => {
    const { rig } = await rigWith(ruleFor(), ruleFor({ machine: 'mini', ...forPath('m') }));
    for (const sent of [
      { args: { path: 'docs/a/b' } },
      { args: { path: 'docs/a\n' } },
      { args: { path: 'xdocs/a' } },
      { args: { path: 'docs/É' } },
      { ...docs('a', { machine: 'mini' }), tool: 'desk_burn' },
      { args: { path: 'm' } },
      { args: { path: 'm', machine: 'studio' } },
    ]) {
      expect(await fateOf(rig, sent), JSON.stringify(sent)).toBe('asked');
    }
    expect(await fateOf(rig, { args: { path: 'm', machine: 'mini' } })).toBe('ok');
  });

  it('is used up after as many calls as it says, even if they come at once', async () => {
    const { rig } = await rigWith(ruleFor({ maxUses: 3 }));
    const fates = await Promise.all(
      Array.from('abcdefghij', (name) => fateOf(rig, docs(name, { content: 'x' }))),
    );
    expect(fates.toSorted()).toEqual([...Array(7).fill('asked'), ...Array(3).fill('ok')]);
    await evictDurableObject(rig.gate());
    expect(await fateOf(rig, docs('z'))).toBe('asked');
    expect(await rig.gate().rules()).toMatchObject([{ uses: 3, enabled: true }]);
  });

  it('ends when it says', async () => {
    later(0);
    const { rig } = await rigWith(ruleFor({ expiresAt: Date.now() + DAY }));
    later(DAY - 1);
    expect(await fateOf(rig, docs('a'))).toBe('ok');
    later(1);
    expect(await fateOf(rig, docs('b'))).toBe('asked');
  });

  it('counts no more once it is switched off, until it is switched on again, or removed', async () => {
    const { rig, ids } = await rigWith(ruleFor());
    const [id = ''] = ids;
    expect(await rig.gate().switchRule(id, false)).toBe(true);
    expect(await fateOf(rig, docs('a'))).toBe('asked');
    expect(await rig.gate().switchRule(id, true)).toBe(true);
    expect(await fateOf(rig, docs('b'))).toBe('ok');
    expect(await rig.gate().removeRule(id)).toBe(true);
    expect(await fateOf(rig, docs('c'))).toBe('asked');
    expect(await rig.gate().removeRule(id)).toBe(false);
    expect(await rig.gate().switchRule(id, true)).toBe(false);
  });

  it('leaves an approval of the very call for nobody to use later', async () => {
    const rig = openRig();
    expect(await fateOf(rig, docs('a'))).toBe('asked');
    await rig.decide((await rig.announced.nth(1)).code);
    await addRules(rig, ruleFor());
    expect(await sendBy('rest', rig, docs('a'))).toMatchObject({ text: 'run 1' });
    expect(await rig.ledger({ outcome: 'ok' })).toMatchObject([{ decision: 'approved' }]);
    expect(await rig.gate().rules()).toMatchObject([{ uses: 0 }]);
    expect(await rig.gate().approvals()).toMatchObject([{ state: 'consumed' }]);
  });
});

describe('a rule that says no', () => {
  it('beats one that asks, which beats one that allows, in whatever order they came', async () => {
    for (const drafts of [
      [ruleFor(), noFor('ask'), noFor('deny')],
      [noFor('deny'), noFor('ask'), ruleFor()],
    ]) {
      const { rig, ids } = await rigWith(...drafts);
      expect(await fateOf(rig, docs('secret'))).toBe('denied_by_rule');
      const deny = ids[drafts.findIndex(({ effect }) => effect === 'deny')] ?? '';
      await rig.gate().switchRule(deny, false);
      expect(await fateOf(rig, docs('secret'))).toBe('asked');
      expect(await fateOf(rig, docs('other'))).toBe('ok');
    }
  });

  it('beats an approval that was given before', async () => {
    const rig = openRig();
    await fateOf(rig, docs('secret'));
    await rig.decide((await rig.announced.nth(1)).code);
    await addRules(rig, noFor('deny'));
    expect(failureIn(await sendBy('rest', rig, docs('secret')))).toMatchObject({
      code: 'denied_by_rule',
      http_status: 403,
    });
    expect(rig.desk.runs).toEqual([]);
  });

  it('holds for tools that need no yes, those that read too', async () => {
    for (const tool of ['desk_look', 'desk_keep']) {
      const { rig } = await rigWith(noFor('deny', { tool }), noFor('ask', { tool, ...forPath('ask') }));
      expect(await fateOf(rig, { ...docs('secret'), tool })).toBe('denied_by_rule');
      expect(await fateOf(rig, { args: { path: 'ask' }, tool })).toBe('asked');
      await rig.decide((await rig.announced.nth(1)).code);
      expect(await fateOf(rig, { args: { path: 'ask' }, tool })).toBe('ok');
      expect(await fateOf(rig, { ...docs('a'), tool })).toBe('ok');
    }
  });
});
