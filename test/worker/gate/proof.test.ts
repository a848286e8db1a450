import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EMPTY_FORM } from '../../../src/gate/rule-form.ts';
import { api, inOwner, later, type OwnerBrowser, owner, signedIn } from '../auth/owner.ts';
import { gateNamed, openRig } from './rig.ts';
import { noFor, ruleFor } from './rule-drafts.ts';
import { sendBy } from './ways.ts';

const MINUTE = 60_000;
/** The gate that the product itself asks. */
const rig = openRig({ name: 'owner' });

beforeEach(async () => {
  const key = { id: 'a-key', publicKey: new ArrayBuffer(8), counter: 0, transports: [], name: 'Phone' };
  await owner().savePasskey(key);
});
afterEach(async () => {
  vi.useRealTimers();
  await owner().removePasskey('a-key');
  for (const { code } of await gateNamed('owner').approvals('pending')) await rig.decide(code, 'deny');
  for (const { id } of await gateNamed('owner').rules()) await gateNamed('owner').removeRule(id);
});

/** An owner who signed in with their key so long ago, and has shown their passkey so long ago, if at all. */
async function ownerWho(since: { signedIn: number; passkey?: number }): Promise<OwnerBrowser> {
  later(0);
  const visit = await signedIn();
  await inOwner((sql) => {
    sql.exec(
      'UPDATE session SET created_at = ?, passkey_at = ? WHERE substr(id_hash, 1, 16) = ?',
      Date.now() - since.signedIn,
      since.passkey === undefined ? null : Date.now() - since.passkey,
      visit.id,
    );
  });
  return visit;
}

const stale = () => ownerWho({ signedIn: 5 * MINUTE });

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

describe('once there is a passkey, somebody who only has a session', () => {
  it('cannot approve a dangerous call, nor have it always run', async () => {
    const visit = await stale();
    const code = await waiting('desk_burn');
    for (const decision of ['approve', 'always']) {
      expect(await decide(visit, code, decision)).toMatchObject(needed);
      const page = await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision });
      expect(page.status).toBe(409);
      expect(await page.text()).toContain('Confirm with your passkey first.');
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

  it('cannot grade the tool of a joined server read-only', async () => {
    const visit = await stale();
    const grade = { tool: 'look_up', hash: '0'.repeat(64), grade: 'read_only' };
    const answer = await api(visit, 'POST', 'servers/words/grade', grade);
    expect({ status: answer.status, ...(await answer.json<object>()) }).toMatchObject(needed);
    const page = await visit.submit('/servers/grade', { ...grade, name: 'words', csrf: visit.csrf });
    expect(await page.text()).toContain('Confirm with your passkey first.');
  });

  it('cannot bring a backup in', async () => {
    const begin = { do: 'begin', log: { total: 0, head: '0'.repeat(64) } };
    const answer = await api(await stale(), 'POST', 'restore', begin);
    expect({ status: answer.status, ...(await answer.json<object>()) }).toMatchObject(needed);
  });
});

describe('a proof counts', () => {
  it.each([
    ['a passkey, just now', { signedIn: 60 * MINUTE, passkey: 0 }, true],
    ['a passkey, up to five minutes ago', { signedIn: 60 * MINUTE, passkey: 5 * MINUTE - 1 }, true],
    ['a passkey, five minutes ago', { signedIn: 60 * MINUTE, passkey: 5 * MINUTE }, false],
    ['the owner key, up to five minutes ago', { signedIn: 5 * MINUTE - 1 }, true],
    ['the owner key, five minutes ago', { signedIn: 5 * MINUTE }, false],
  ])('by %s: %j → %s', async (_, since, counts) => {
    const visit = await ownerWho(since);
    const decided = await decide(visit, await waiting('desk_burn'), 'approve');
    expect(decided).toMatchObject(counts ? { state: 'approved' } : needed);
  });

  it('for its own session alone', async () => {
    const proven = await ownerWho({ signedIn: 60 * MINUTE });
    const visit = await stale();
    await owner().confirmPasskey(proven.secret);
    const code = await waiting('desk_burn');
    expect(await decide(visit, code, 'approve')).toMatchObject(needed);
    expect(await decide(proven, code, 'approve')).toMatchObject({ state: 'approved' });
  });

  it('by signing in with a passkey at that moment, and not by having done so long ago', async () => {
    later(0);
    const visit = await stale();
    await inOwner((sql) => {
      sql.exec("UPDATE session SET method = 'passkey' WHERE substr(id_hash, 1, 16) = ?", visit.id);
      sql.exec('UPDATE session SET created_at = ? WHERE substr(id_hash, 1, 16) = ?', Date.now(), visit.id);
    });
    expect(await decide(visit, await waiting('desk_burn'), 'approve')).toMatchObject(needed);
  });

  it('as given where there is no passkey to prove it with', async () => {
    await owner().removePasskey('a-key');
    const visit = await stale();
    expect(await decide(visit, await waiting('desk_burn'), 'approve')).toMatchObject({ state: 'approved' });
    expect(await decide(visit, await waiting('desk_write'), 'always')).toMatchObject({ state: 'approved' });
  });
});

describe('the page asks for the passkey', () => {
  /** What the page of an approval offers: the decisions that can be made there, and whether it asks for a proof. */
  async function offered(visit: OwnerBrowser, tool: string) {
    const html = await (await visit.send(`/approvals/${await waiting(tool)}`)).text();
    const buttons = Array.from(html.matchAll(/<button[^>]*name="decision"[^>]*>/g), ([tag]) => tag);
    const open = buttons
      .filter((tag) => !/\sdisabled/.test(tag))
      .map((tag) => /value="(\w+)"/.exec(tag)?.[1]);
    return {
      open,
      asks: html.includes('data-passkey="confirm"'),
      script: html.includes('/assets/passkeys.js'),
    };
  }

  it('for what needs it, and leaves the rest to be decided', async () => {
    const visit = await stale();
    expect(await offered(visit, 'desk_burn')).toEqual({ open: ['deny'], asks: true, script: true });
    expect(await offered(visit, 'desk_write')).toEqual({
      open: ['approve', 'deny'],
      asks: true,
      script: true,
    });
  });

  it('no more once it was shown', async () => {
    const visit = await ownerWho({ signedIn: 60 * MINUTE, passkey: 0 });
    const all = { open: ['approve', 'deny', 'always'], asks: false, script: false };
    for (const tool of ['desk_burn', 'desk_write']) expect(await offered(visit, tool)).toEqual(all);
  });
});
