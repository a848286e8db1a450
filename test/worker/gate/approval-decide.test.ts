import { afterEach, describe, expect, it } from 'vitest';
import type { GateCall } from '../../../src/gate/messages.ts';
import { inOwner, signedIn } from '../auth/owner.ts';
import { gateCall, seqIn } from './gate-calls.ts';
import { gateNamed, openRig } from './rig.ts';
import { sendBy } from './ways.ts';

const gate = () => gateNamed('owner');

afterEach(async () => {
  for (const { code } of await gate().approvals('pending')) await gate().decide(code, 'deny', 'test', true);
});

/** A call that waits at the product's own gate. */
async function asking(change: Partial<GateCall> = {}): Promise<{ call: GateCall; code: string }> {
  const call = gateCall({ digest: crypto.randomUUID(), principal: crypto.randomUUID(), ...change });
  const answer = await gate().admit(call, []);
  if (answer.kind !== 'ask') throw new Error(`expected a question, got ${JSON.stringify(answer)}`);
  return { call, code: answer.approval.code };
}

const preview = { facts: [], files: null, diff: null, state: null };
const TRICKS = '</span></pre><script>alert(1)</script>\u202e\u0000';

describe('the page that decides', () => {
  it('shows a diff line by line, with what a stranger wrote in it as text', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `+line ${at}`);
    const diff = ['@@ -1 +1,31 @@', `-${TRICKS}`, ...lines, ''].join('\n');
    const facts = [{ text: `It is odd: ${TRICKS}`, unusual: true }];
    const files = [{ path: `a${TRICKS}`, change: 'change' as const }];
    const { code } = await asking({ shown: { preview: { ...preview, diff, facts, files } } });
    const visit = await signedIn();
    const html = await (await visit.send(`/approvals/${code}`)).text();
    expect(html).not.toContain('<script>alert');
    expect(html.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(html).toContain('<span class="removed">-&lt;/span&gt;');
    expect(html.match(/<span class="added">/g)).toHaveLength(30);
    expect(html).toContain('22 more lines');
    expect(html).toMatch(/It is odd: .*\\u\{202e\}/);
    // What speaks against it stands before the buttons.
    expect(html.indexOf('It is odd')).toBeLessThan(html.indexOf('value="approve"'));
  });

  it('says why nobody looked at it beforehand', async () => {
    const { code } = await asking({ shown: { why: 'The machine is an older version.' } });
    const visit = await signedIn();
    expect(await (await visit.send(`/approvals/${code}`)).text()).toContain(
      'No preview. The machine is an older version.',
    );
  });

  it('hands a sentence on with a no, and keeps it', async () => {
    const { call, code } = await asking();
    const visit = await signedIn();
    const form = { csrf: visit.csrf, decision: 'deny', note: 'use pnpm instead\u202e' };
    expect((await visit.submit(`/approvals/${code}`, form)).status).toBe(303);
    expect(await gate().admit(call, [])).toMatchObject({ code: 'approval_denied', note: form.note });
    expect(await (await visit.send(`/approvals/${code}`)).text()).toContain('use pnpm instead\\u{202e}');
  });

  it('takes no sentence that is too long, and none with a yes', async () => {
    const { call, code } = await asking();
    const visit = await signedIn();
    const long = await visit.submit(`/approvals/${code}`, {
      csrf: visit.csrf,
      decision: 'deny',
      note: 'x'.repeat(301),
    });
    expect([long.status, await long.text()]).toEqual([409, expect.stringContaining('at most 300')]);
    await visit.submit(`/approvals/${code}`, { csrf: visit.csrf, decision: 'approve', note: 'well then' });
    expect(await gate().approval(code)).toMatchObject({ state: 'approved', note: null });
    expect(await gate().admit(call, [])).toMatchObject({ kind: 'admitted' });
  });

  it('shows the next that waits after a decision, and that one with what was decided', async () => {
    const first = await asking();
    const second = await asking();
    const visit = await signedIn();
    const sent = await visit.submit(`/approvals/${second.code}`, { csrf: visit.csrf, decision: 'deny' });
    const next = `/approvals/${first.code}?after=${second.code}`;
    expect(sent.headers.get('location')).toBe(next);
    const html = await (await visit.send(next)).text();
    expect(html).toMatch(new RegExp(`role="status".*${second.code}.*denied`));
    // Somebody else's link cannot have it say anything.
    const odd = await visit.send(`/approvals/${first.code}?after=%3Cscript%3E`);
    expect([odd.status, await odd.text()]).toEqual([200, expect.not.stringContaining('class="done"')]);
  });

  it('tells how often the same call and its like came before, and how the last ended', async () => {
    const run = (command: string, digest: string) =>
      gateCall({
        tool: 'run_in_terminal',
        approval: 'never',
        digest,
        args: JSON.stringify({ command }),
        shownArgs: JSON.stringify({ command }),
      });
    const same = crypto.randomUUID();
    for (const [command, digest, code] of [
      ['npm test -- db', same, null],
      ['npm test -- db', same, 'timeout'],
      ['npm test', 'other', null],
      ['npm run build', 'another', null],
    ] as const) {
      const answer = await gate().admit(run(command, digest), []);
      const end = { at: Date.now(), outcome: code ? 'failed' : 'ok', code, bytes: 0, result: null } as const;
      await gate().settle([{ seq: seqIn(answer), end }]);
    }
    const { code } = await asking({ ...run('npm test -- db', same), principal: 'p', approval: 'ask' });
    expect((await gate().approval(code))?.before).toMatchObject({
      same: { times: 2, ok: 1, last: { ended: 'timeout' } },
      like: { what: 'npm test', times: 1, ok: 1, last: { ended: 'ok' } },
    });
  });
});

describe('the list', () => {
  const listed = async () => {
    const visit = await signedIn();
    return { visit, html: await (await visit.send('/approvals')).text() };
  };

  it('decides too, and shows what is left with what was decided', async () => {
    const [first, second] = [await asking(), await asking()];
    const { visit, html } = await listed();
    for (const { code } of [first, second]) expect(html).toContain(`Run now ${code}`);
    const form = { csrf: visit.csrf, from: 'list' };
    const yes = await visit.submit(`/approvals/${first.code}`, { ...form, decision: 'approve' });
    expect([yes.status, yes.headers.get('location')]).toEqual([303, `/approvals?after=${first.code}`]);
    const after = await (await visit.send(`/approvals?after=${first.code}`)).text();
    expect(after).toMatch(new RegExp(`role="status".*${first.code}.*approved`));
    expect(after).toContain(`Deny ${second.code}`);
    expect(after).not.toContain(`Deny ${first.code}`);
    await visit.submit(`/approvals/${second.code}`, { ...form, decision: 'deny' });
    expect((await gate().approval(second.code))?.state).toBe('denied');
  });

  it('has no yes for what is not all to be seen in it', async () => {
    const long = Array.from({ length: 12 }, (_, at) => `echo ${at}`).join('\n');
    const hidden = [
      await asking({ tool: 'run_in_terminal', args: JSON.stringify({ command: long }) }),
      await asking({ tool: 'create_file', args: JSON.stringify({ path: 'a', content: 'rm -rf /' }) }),
      await asking({ tool: 'desk_write', args: JSON.stringify({ path: 'x'.repeat(20_000) }) }),
      await asking({ shown: { preview: { ...preview, diff: `+${'\n+'.repeat(20)}` } } }),
      await asking({ shown: { preview: { ...preview, diff: '+KEY="[redacted:secret]"\n' } } }),
    ];
    const { html } = await listed();
    for (const { code } of hidden) {
      expect(html).toContain(`Deny ${code}`);
      expect(html).not.toMatch(new RegExp(`(Run now|Approve once) ${code}`));
    }
  });

  it('asks for a proof as the page does', async () => {
    const { code } = await asking({ risk: 'dangerous' });
    const { visit } = await listed();
    await inOwner((sql) => void sql.exec('UPDATE session SET proven_at = 0'));
    const form = { csrf: visit.csrf, decision: 'approve', from: 'list' };
    expect((await visit.submit(`/approvals/${code}`, form)).status).toBe(403);
    expect((await gate().approval(code))?.state).toBe('pending');
  });

  it('denies several of one kind at once, and none that was not on it', async () => {
    const change = { principal: crypto.randomUUID(), client: 'Claude', tool: 'desk_write' };
    const alike = [await asking(change), await asking(change), await asking(change)];
    const other = await asking();
    const { visit, html } = await listed();
    expect(html).toContain('Deny all 3 calls of desk_write from Claude');
    const late = await asking(change);
    const code = [...alike.map((one) => one.code), 'ZZZZ-ZZZZ'];
    for (const decision of ['approve', 'always', ''])
      expect((await visit.submit('/approvals', { csrf: visit.csrf, code, decision })).status).toBe(409);
    expect((await visit.submit('/approvals', { csrf: 'x', code, decision: 'deny' })).status).toBe(409);
    expect((await gate().approval(alike[0]?.code ?? ''))?.state).toBe('pending');
    const sent = await visit.submit('/approvals', { csrf: visit.csrf, code, decision: 'deny' });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/approvals?denied=3']);
    for (const one of alike) expect((await gate().approval(one.code))?.state).toBe('denied');
    for (const one of [other, late]) expect((await gate().approval(one.code))?.state).toBe('pending');
    expect(await (await visit.send('/approvals?denied=3')).text()).toContain('3 calls were denied');
    expect(await (await visit.send('/approvals?denied=%3Cb')).text()).not.toContain('were denied');
  });
});

describe('the reason that a model gives', () => {
  const rig = openRig({ name: 'owner' });

  it('is shown as its own words, and kept with the call', async () => {
    const reason = `The tests need it.${TRICKS}`;
    await sendBy('url', rig, { args: { path: 'reasoned', reason } });
    const [asked] = await gate().approvals('pending');
    const visit = await signedIn();
    const html = await (await visit.send(`/approvals/${asked?.code}`)).text();
    expect(html).toContain('Its reason: <q>The tests need it.&lt;/span&gt;');
    expect(html).not.toMatch(/<script>alert|\u202e/);
    await gate().decide(asked?.code ?? '', 'approve', 'test', true);
    await sendBy('cli', rig, { args: { path: 'reasoned', reason } });
    const [row] = await rig.ledger({ tool: 'desk_write' });
    expect(JSON.parse(row?.args ?? '{}')).toMatchObject({ path: 'reasoned', reason: expect.any(String) });
  });

  it('is no part of what is approved, and no rule sees it', async () => {
    const path = crypto.randomUUID();
    await sendBy('url', rig, { args: { path, reason: 'One.' }, as: 'grace' });
    const [asked] = await gate().approvals('pending');
    expect(asked?.full).not.toContain('One.');
    await gate().decide(asked?.code ?? '', 'always', 'test', true);
    for (const reason of ['Two.', 'Three.', undefined]) {
      expect(await sendBy('cli', rig, { args: { path, reason }, as: 'grace' })).toMatchObject({ kind: 'ok' });
    }
    const [row] = await rig.ledger({ tool: 'desk_write', principal: 'grace' });
    const again = await gate().ruleFormOf(row?.seq ?? 0);
    expect(JSON.stringify(again)).not.toContain('reason');
  });

  it('has at most 300 characters', async () => {
    const sent = await sendBy('cli', rig, { args: { path: 'a', reason: 'x'.repeat(301) } });
    expect(sent).toMatchObject({ failure: { code: 'invalid_input' } });
  });
});
