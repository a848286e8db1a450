import { afterEach, describe, expect, it, vi } from 'vitest';
import { EMPTY_FORM } from '../../../src/gate/rules/rule-form.ts';
import { api, inOwner, later, type OwnerBrowser, owner, signedIn } from '../auth/owner.ts';
import { gateNamed, openRig } from './rig.ts';
import { noFor, ruleFor } from './rule-drafts.ts';
import { sendBy } from './ways.ts';

const MINUTE = 60_000;
/** The gate that the product itself asks. */
const rig = openRig({ name: 'owner' });

afterEach(async () => {
  vi.useRealTimers();
  for (const { code } of await gateNamed('owner').approvals('pending')) await rig.decide(code, 'deny');
  for (const { id } of await gateNamed('owner').rules()) await gateNamed('owner').removeRule(id);
});

/** An owner who showed that it is them so long ago. */
async function provenBefore(ms: number): Promise<OwnerBrowser> {
  later(0);
  const visit = await signedIn();
  await inOwner((sql) => {
    const set = 'UPDATE session SET proven_at = ? WHERE substr(id_hash, 1, 16) = ?';
    sql.exec(set, Date.now() - ms, visit.id);
  });
  return visit;
}

const stale = () => provenBefore(5 * MINUTE);

async function waiting(tool: string): Promise<string> {
  const before = rig.announced.all.length;
  await sendBy('url', rig, { tool, args: { path: crypto.randomUUID() } });
  return (await rig.announced.nth(before + 1)).code;
}

const decide = async (visit: OwnerBrowser, code: string, decision: string) => {
  const answer = await api(visit, 'POST', `approvals/${code}`, { decision });
  return { status: answer.status, ...(await answer.json<object>()) };
};

const needed = {
  status: 403,
  code: 'proof_needed',
  http_status: 403,
  suggestion: expect.stringContaining('passkey'),
};

describe('somebody who only has a session', () => {
  it('cannot approve a dangerous call, nor have it always run', async () => {
    const visit = await stale();
    const code = await waiting('desk_burn');
    for (const decision of ['approve', 'always']) {
      expect(await decide(visit, code, decision)).toMatchObject(needed);
      const page = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision });
      expect(page.status).toBe(403);
      expect(await page.text()).toContain('Is it you?');
    }
    expect(await gateNamed('owner').approval(code)).toMatchObject({ state: 'pending' });
    expect(await gateNamed('owner').rules()).toEqual([]);
  });

  it('can approve what is not dangerous, but not have it always run', async () => {
    const visit = await stale();
    const code = await waiting('desk_write');
    expect(await decide(visit, code, 'always')).toMatchObject(needed);
    expect(await gateNamed('owner').rules()).toEqual([]);
    expect(await decide(visit, code, 'approve')).toEqual({ status: 200, state: 'approved' });
  });

  it('can refuse whatever it is, and take back what was approved', async () => {
    const visit = await stale();
    const code = await waiting('desk_burn');
    await rig.decide(code);
    expect(await decide(visit, code, 'deny')).toEqual({ status: 200, state: 'denied' });
    expect(await decide(visit, await waiting('desk_burn'), 'deny')).toMatchObject({ state: 'denied' });
  });

  it('can write a rule that says no, but none that allows, nor switch one on', async () => {
    const visit = await stale();
    const rule = { tool: 'hello' };
    const allowed = await api(visit, 'POST', 'rules', ruleFor(rule));
    expect({ status: allowed.status, ...(await allowed.json<object>()) }).toMatchObject(needed);
    expect((await api(visit, 'POST', 'rules', noFor('deny', rule))).status).toBe(200);
    const saved = await gateNamed('owner').addRule(ruleFor(), true);
    const path = `rules/${'id' in saved ? saved.id : ''}`;
    expect((await api(visit, 'POST', path, { enabled: false })).status).toBe(200);
    const on = await api(visit, 'POST', path, { enabled: true });
    expect({ status: on.status, ...(await on.json<object>()) }).toMatchObject(needed);
    const rules = await gateNamed('owner').rules();
    expect(rules.find(({ effect }) => effect === 'allow')).toMatchObject({ enabled: false });
  });

  it('can do no more on the page of rules', async () => {
    const visit = await stale();
    const typed = { ...EMPTY_FORM, tool: 'hello', fields: 'name = Ada' };
    const rule = { ...typed, must: '{"name":"Ada"}', mustNot: '{"name":"Eve"}', csrf: visit.csrf };
    expect((await visit.submit('/rules', rule)).status).toBe(403);
    expect(await gateNamed('owner').rules()).toEqual([]);
    expect((await visit.submit('/rules', { ...rule, effect: 'deny' })).status).toBe(303);
    const saved = await gateNamed('owner').addRule(ruleFor(), true);
    const id = 'id' in saved ? saved.id : '';
    await gateNamed('owner').switchRule(id, false);
    expect((await visit.submit(`/rules/${id}`, { csrf: visit.csrf, do: 'on' })).status).toBe(403);
    const rules = await gateNamed('owner').rules();
    expect(rules.find((one) => one.id === id)).toMatchObject({ enabled: false });
  });

  it.each(['read_only', 'safe_write'])('cannot grade the tool of a joined server %s', async (said) => {
    const visit = await stale();
    const grade = { tool: 'look_up', hash: '0'.repeat(64), grade: said };
    const answer = await api(visit, 'POST', 'servers/words/grade', grade);
    expect({ status: answer.status, ...(await answer.json<object>()) }).toMatchObject(needed);
    const page = await visit.submit('/servers/grade', { ...grade, name: 'words', csrf: visit.csrf });
    expect(await page.text()).toContain('Is it you?');
  });

  it('cannot bring a backup in', async () => {
    const begin = { do: 'begin', log: { total: 0, head: '0'.repeat(64) } };
    const answer = await api(await stale(), 'POST', 'restore', begin);
    expect({ status: answer.status, ...(await answer.json<object>()) }).toMatchObject(needed);
  });
});

describe('a no that stands', () => {
  it.each(['deny', 'ask'] as const)(
    '(%s) is neither switched off nor removed without a proof',
    async (effect) => {
      const visit = await stale();
      const saved = await gateNamed('owner').addRule(noFor(effect, { tool: 'hello' }), true);
      const id = 'id' in saved ? saved.id : '';
      expect((await api(visit, 'POST', `rules/${id}`, { enabled: false })).status).toBe(403);
      expect((await api(visit, 'DELETE', `rules/${id}`)).status).toBe(403);
      for (const wanted of ['off', 'remove']) {
        const page = await visit.submit(`/rules/${id}`, { csrf: visit.csrf, do: wanted });
        expect([page.status, (await page.text()).includes('Is it you?')]).toEqual([403, true]);
      }
      expect(await gateNamed('owner').rules()).toMatchObject([{ id, enabled: true }]);
      await gateNamed('owner').switchRule(id, false);
      expect((await api(visit, 'POST', `rules/${id}`, { enabled: true })).status).toBe(200);
    },
  );
});

describe('a proof counts', () => {
  it.each([
    ['just now', 0, true],
    ['up to five minutes ago', 5 * MINUTE - 1, true],
    ['five minutes ago', 5 * MINUTE, false],
  ])('from %s: %s → %s', async (_, since, counts) => {
    const visit = await provenBefore(since);
    const decided = await decide(visit, await waiting('desk_burn'), 'approve');
    expect(decided).toMatchObject(counts ? { state: 'approved' } : needed);
  });

  it('for its own session alone', async () => {
    const visit = await stale();
    const proven = await owner().proveSession((await stale()).secret);
    expect(proven?.session.provenAt).toBe(Date.now());
    expect(await decide(visit, await waiting('desk_burn'), 'approve')).toMatchObject(needed);
  });
});

describe('what the console itself asks for', () => {
  it('is not approved by the session that asked', async () => {
    const visit = await stale();
    const typed = { csrf: visit.csrf, 'arg.file': 'best_practices.md', 'arg.entry': '- a line' };
    const asked = await (await visit.submit('/catalogue/write_memory_entry', typed)).text();
    const code = /href="\/approvals\/([^"]+)"/.exec(asked)?.[1] ?? '';
    expect(code).not.toBe('');
    expect(await gateNamed('owner').approval(code)).toMatchObject({ risk: 'safe_write', principal: 'owner' });
    expect(await decide(visit, code, 'approve')).toMatchObject(needed);
    expect(await decide(visit, code, 'deny')).toMatchObject({ state: 'denied' });
  });
});
