import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RuleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { api, later, type OwnerBrowser, signedIn } from '../auth/owner.ts';
import { gateNamed, openRig } from './rig.ts';
import { ruleFor } from './rule-drafts.ts';
import { failureIn, sendBy } from './ways.ts';

/** The gate that the product itself asks. */
const rig = openRig({ name: 'owner' });
const MINUTE = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  for (const { code } of await gateNamed('owner').approvals('pending')) await rig.decide(code, 'deny');
  for (const { id } of await gateNamed('owner').rules()) await gateNamed('owner').removeRule(id);
  for (const name of ['rates', 'webhooks', 'push'] as const) {
    await gateNamed('owner').changeSetting(name, name === 'rates' ? {} : []);
  }
});

/** An approval that waits, and the arguments of its call. */
async function waiting(more: object = {}): Promise<{ code: string; args: { path: string } }> {
  const before = rig.announced.all.length;
  const args = { path: crypto.randomUUID(), ...more };
  await sendBy('url', rig, { args, client: 'Claude' });
  return { code: (await rig.announced.nth(before + 1)).code, args };
}

/** Asks the owner's API, and gives the status with what was said. */
async function ask(visit: OwnerBrowser, method: string, path: string, body?: unknown) {
  const response = await api(visit, method, path, body);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return [response.status, await response.json()];
}

const decide = (visit: OwnerBrowser, code: string, decision: string) =>
  ask(visit, 'POST', `approvals/${encodeURIComponent(code)}`, { decision });

describe('the owner decides', () => {
  it('with yes, once, and the call runs', async () => {
    const visit = await signedIn();
    const { code, args } = await waiting();
    expect(await decide(visit, code, 'approve')).toEqual([200, { state: 'approved' }]);
    expect(await decide(visit, code, 'approve')).toMatchObject([
      409,
      { code: 'approval_approved', http_status: 409, suggestion: expect.stringContaining('list') },
    ]);
    const decidedBy = await rig.inGate((sql) =>
      sql.exec<{ decided_by: string }>('SELECT decided_by FROM approval WHERE code = ?', code).one(),
    );
    expect(decidedBy).toEqual({ decided_by: visit.id });
    expect(await sendBy('rest', rig, { args })).toMatchObject({ kind: 'ok' });
    expect(await decide(visit, code, 'deny')).toMatchObject([409, { code: 'approval_used' }]);
  });

  it('with no, once, and the call is refused', async () => {
    const visit = await signedIn();
    const { code, args } = await waiting();
    expect(await decide(visit, code, 'deny')).toEqual([200, { state: 'denied' }]);
    expect(await decide(visit, code, 'deny')).toMatchObject([409, { code: 'approval_denied' }]);
    expect(await decide(visit, code, 'approve')).toMatchObject([409, { code: 'approval_denied' }]);
    expect(failureIn(await sendBy('rest', rig, { args })).code).toBe('approval_denied');
  });

  it('with no after yes, as long as the call has not run', async () => {
    const visit = await signedIn();
    const { code, args } = await waiting();
    await decide(visit, code, 'approve');
    expect(await decide(visit, code, 'deny')).toEqual([200, { state: 'denied' }]);
    expect(failureIn(await sendBy('rest', rig, { args })).code).toBe('approval_denied');
  });

  it('with always, and is shown the rule', async () => {
    const visit = await signedIn();
    const { code, args } = await waiting();
    const rule = expect.stringMatching(new RegExp(`^Allow "desk_write" when .*path is "${args.path}"`));
    expect(await decide(visit, code, 'always')).toEqual([200, { state: 'approved', rule }]);
    expect(await ask(visit, 'GET', 'rules')).toMatchObject([
      200,
      { rules: [{ tool: 'desk_write', text: rule }] },
    ]);
  });

  it('too late', async () => {
    const { code } = await waiting();
    later(10 * MINUTE);
    const visit = await signedIn();
    for (const decision of ['approve', 'deny', 'always']) {
      expect(await decide(visit, code, decision)).toMatchObject([409, { code: 'approval_expired' }]);
    }
    expect(await ask(visit, 'GET', 'rules')).toEqual([200, { rules: [] }]);
  });

  it('twice at once, and one of them is told so', async () => {
    const visit = await signedIn();
    const { code } = await waiting();
    const answers = await Promise.all(
      ['approve', 'approve', 'approve'].map((say) => decide(visit, code, say)),
    );
    expect(answers.map(([status]) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it('about a code however they type it, and about none that there is not', async () => {
    const visit = await signedIn();
    const { code } = await waiting();
    const typed = ` ${code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
    expect(await ask(visit, 'GET', `approvals/${encodeURIComponent(typed)}`)).toMatchObject([200, { code }]);
    expect(await decide(visit, typed, 'deny')).toEqual([200, { state: 'denied' }]);
    for (const wrong of ['ZZZZ-ZZZZ', 'x', '%00', "' OR 1=1 --", 'é'.repeat(500)]) {
      expect(await decide(visit, wrong, 'approve')).toMatchObject([404, { code: 'not_found' }]);
      const looked = await ask(visit, 'GET', `approvals/${encodeURIComponent(wrong)}`);
      expect(looked).toMatchObject([404, { code: 'not_found' }]);
    }
  });
});

describe('the owner looks', () => {
  it('at what waits, and at what became of it', async () => {
    const visit = await signedIn();
    const { code } = await waiting({ content: 'hello' });
    const seen = {
      code,
      tool: 'desk_write',
      client: 'Claude',
      principal: 'ada',
      machine: null,
      risk: 'safe_write',
      state: 'pending',
      decidedAt: null,
      text: expect.stringMatching(
        /^Tool: desk_write\n.*\n {2}content: <5 bytes>\n.*\nApprove\? \(y\/n\/always\):$/s,
      ),
      full: expect.stringContaining('  content: hello\n'),
    };
    expect(await ask(visit, 'GET', `approvals/${code}`)).toMatchObject([200, seen]);
    expect(await ask(visit, 'GET', 'approvals?state=pending')).toMatchObject([200, { approvals: [seen] }]);
    await decide(visit, code, 'deny');
    expect(await ask(visit, 'GET', 'approvals?state=pending')).toEqual([200, { approvals: [] }]);
    const [, all] = await ask(visit, 'GET', 'approvals');
    expect((all as { approvals: object[] }).approvals[0]).toMatchObject({ code, state: 'denied' });
    expect(await ask(visit, 'GET', 'approvals?state=no_such')).toEqual([200, { approvals: [] }]);
  });

  it('at the ledger, page by page and filtered', async () => {
    const visit = await signedIn();
    for (const path of ['a', 'b', 'c']) await sendBy('rest', rig, { tool: 'desk_keep', args: { path } });
    const [, page] = await ask(visit, 'GET', 'ledger?tool=desk_keep&outcome=ok&principal=ada&limit=2');
    const { entries, next } = page as { entries: { seq: number; args: string }[]; next: number };
    expect(entries.map(({ args }) => JSON.parse(args).path)).toEqual(['c', 'b']);
    expect(next).toBe(entries[1]?.seq);
    expect(await ask(visit, 'GET', `ledger?tool=desk_keep&before=${next}&limit=1`)).toMatchObject([
      200,
      { entries: [{ args: expect.stringContaining('"path":"a"') }] },
    ]);
  });

  it.each(['limit=201', 'limit=-1', 'limit=x', 'before=1.5', 'outcome=fine', 'since=later', 'order=asc'])(
    'at no ledger that is asked for with %s',
    async (query) => {
      const visit = await signedIn();
      expect(await ask(visit, 'GET', `ledger?${query}`)).toMatchObject([400, { code: 'invalid_input' }]);
    },
  );

  it.each(['wait=26', 'wait=-1', 'after=x', 'wait=0.5'])(
    'at no feed that is asked for with %s',
    async (query) => {
      const visit = await signedIn();
      expect(await ask(visit, 'GET', `feed?${query}`)).toMatchObject([400, { code: 'invalid_input' }]);
    },
  );
});

describe('the owner sets', () => {
  it('limits, which count at once', async () => {
    const visit = await signedIn();
    expect(await ask(visit, 'PUT', 'settings/rates', { value: { desk_look: 0 } })).toEqual([
      200,
      { saved: true },
    ]);
    expect(failureIn(await sendBy('rest', rig, { tool: 'desk_look' })).code).toBe('rate_limited');
    expect(await ask(visit, 'GET', 'settings/rates')).toEqual([200, { value: { desk_look: 0 } }]);
  });

  it.each([
    ['rates', { desk_look: -1 }],
    ['rates', { desk_look: 1.5 }],
    ['rates', ['desk_look']],
    ['max_pending', 0],
    ['max_pending', '20'],
    ['webhooks', [{ url: 'ftp://example.com/x' }]],
    ['webhooks', [{ url: 'https://example.com/x', method: 'GET' }]],
    ['push', [{ endpoint: 'http://example.com/x', keys: { p256dh: 'x', auth: 'x' } }]],
  ])('%s to nothing that does not fit: %j', async (name, value) => {
    const visit = await signedIn();
    const before = await ask(visit, 'GET', `settings/${name}`);
    expect(await ask(visit, 'PUT', `settings/${name}`, { value })).toMatchObject([
      400,
      { code: 'invalid_input' },
    ]);
    expect(await ask(visit, 'GET', `settings/${name}`)).toEqual(before);
  });

  it.each(['vapid', 'no_such', '__proto__', 'constructor', 'toString'])(
    'no %s, and sees none',
    async (name) => {
      const visit = await signedIn();
      await ask(visit, 'GET', 'push-key');
      expect(await ask(visit, 'GET', `settings/${name}`)).toMatchObject([404, { code: 'not_found' }]);
      expect(await ask(visit, 'PUT', `settings/${name}`, { value: {} })).toMatchObject([
        404,
        { code: 'not_found' },
      ]);
    },
  );

  it('no rule that the checks refuse, by the name of what is wrong with it', async () => {
    const visit = await signedIn();
    const fields = { path: { equals: 'hello' } };
    const path = (regex: string) => ({ match: { kind: 'arguments', fields: { path: { regex } } } }) as const;
    const hello = { must: ['{"path":"hello"}'], mustNot: ['{"path":"other"}'] };
    const exact = { tool: 'hello', match: { kind: 'arguments', fields }, examples: hello } as const;
    const refused: [Partial<RuleDraft>, string][] = [
      [{ ...exact, tool: 'no_such' }, 'unknown_tool'],
      [{ ...exact, ...path('hello') }, 'unanchored'],
      [{ ...exact, ...path('') }, 'empty_pattern'],
      [{ ...exact, match: { kind: 'json', regex: '^\\{"path":".*"\\}$' } }, 'crosses_quote'],
      [{ ...exact, examples: { must: [], mustNot: [] } }, 'no_example'],
      [{ ...exact, match: { kind: 'any' } }, 'allows_anything'],
      [{ ...exact, expiresAt: 1 }, 'expired'],
    ];
    for (const [change, code] of refused) {
      const [status, said] = await ask(visit, 'POST', 'rules', ruleFor(change));
      expect([status, (said as { code: string }).code], JSON.stringify(change)).toEqual([400, code]);
      const [, tried] = await ask(visit, 'POST', 'rules/preview', ruleFor(change));
      expect((tried as { problems: { code: string }[] }).problems[0]?.code).toBe(code);
    }
    expect(await ask(visit, 'GET', 'rules')).toEqual([200, { rules: [] }]);
    const [status, saved] = await ask(visit, 'POST', 'rules', ruleFor(exact));
    expect([status, saved]).toMatchObject([200, { enabled: true, uses: 0, text: expect.any(String) }]);
    const { id } = saved as { id: string };
    expect(await ask(visit, 'POST', `rules/${id}`, { enabled: false })).toEqual([200, { enabled: false }]);
    expect(await ask(visit, 'POST', `rules/${id}`, { enabled: 'yes' })).toMatchObject([400, {}]);
    expect(await ask(visit, 'DELETE', `rules/${id}`)).toEqual([200, { removed: true }]);
    for (const [method, body] of [['POST', { enabled: false }], ['DELETE']] as const) {
      expect(await ask(visit, method, `rules/${id}`, body)).toMatchObject([404, { code: 'not_found' }]);
    }
  });
});
