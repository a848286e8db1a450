import { beforeAll, describe, expect, it } from 'vitest';
import { type OwnerBrowser, signedIn } from '../auth/owner.ts';
import { gateNamed } from './rig.ts';

const HOSTILE = '"><script>alert(1)</script>\u202e\u{e0172}\u3164\u034f\u2800\u2065';
const WAITS = { 'arg.file': 'best_practices.md', 'arg.entry': '- waits' };
/** The gate that the product itself asks. */
const gate = () => gateNamed('owner');

let own: OwnerBrowser;
beforeAll(async () => {
  own = await signedIn();
  for (const name of [HOSTILE, 'Ada', 'x'.repeat(101)])
    await (await own.submit('/catalogue/hello', { csrf: own.csrf, 'arg.name': name })).text();
  await (await own.submit('/catalogue/write_memory_entry', { csrf: own.csrf, ...WAITS })).text();
  for (let n = 0; n < 51; n++)
    await (await own.submit('/catalogue/hello', { csrf: own.csrf, 'arg.name': `${n}` })).text();
});

const open = async (path: string) => {
  const answer = await own.send(path);
  return { status: answer.status, html: await answer.text() };
};
/** The numbers of the calls that a page lists. */
const listed = (html: string) => [...html.matchAll(/href="\/ledger\/(\d+)"/g)].map(([, seq]) => Number(seq));
const linkTo = (html: string, text: string) =>
  new RegExp(`href="([^"]*)"[^>]*>\\s*${text}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('the ledger’s page', () => {
  it('lists fifty calls, newest first, and the older ones on the next page, and back', async () => {
    const first = await open('/ledger?tool=hello');
    const newest = listed(first.html);
    expect(newest).toHaveLength(50);
    expect(newest).toEqual([...newest].sort((a, b) => b - a));
    const older = await open(linkTo(first.html, 'Older'));
    expect(listed(older.html)[0]).toBeLessThan(newest.at(-1) ?? 0);
    expect(listed((await open(linkTo(older.html, 'New'))).html)).toEqual(newest);
  });

  it.each([
    ['?outcome=asked', 'write_memory_entry'],
    ['?outcome=ok&tool=hello', 'hello'],
    ['?client=console&machine=', 'hello'],
  ])('narrows by what is asked: %s', async (query, tool) => {
    const { status, html } = await open(`/ledger${query}`);
    expect(status).toBe(200);
    expect(listed(html).length).toBeGreaterThan(0);
    const { entries } = await gate().ledger({ limit: 200 });
    const tools = new Set(entries.filter(({ seq }) => listed(html).includes(seq)).map((one) => one.tool));
    expect(tools).toContain(tool);
    expect(query.includes('tool=hello') ? [...tools] : []).toEqual(
      query.includes('tool=hello') ? ['hello'] : [],
    );
  });

  it('says in words how calls ended that were only counted', async () => {
    const counted = { principal: 'ada', tool: 'hello', at: Date.now(), count: 3 };
    const codes = ['approval_required', 'denied_by_rule', 'ok', '<b>'];
    await gate().settle(codes.map((code) => ({ ...counted, code })));
    const { html } = await open('/ledger');
    const [, table = ''] = html.split('Calls without an entry');
    expect(
      [...table.matchAll(/class="badge [a-z]+">([^<]*)</g)].map(([, words]) => words).toSorted(),
    ).toEqual(['&lt;b&gt;', 'denied by a rule', 'ok', 'waited for you']);
    expect(table).not.toContain('denied_by_rule');
  });

  it('narrows by time, and says so where a time is none or the two are the wrong way round', async () => {
    expect(listed((await open('/ledger?to=2020-01-01T00:00')).html)).toEqual([]);
    expect(listed((await open('/ledger?from=2020-01-01T00:00')).html)).toHaveLength(50);
    const none = await open('/ledger?from=yesterday');
    expect([none.status, none.html.includes('That is not a time.')]).toEqual([400, true]);
    expect(listed(none.html)).toHaveLength(50);
    const turned = await open('/ledger?from=2021-01-01T00:00&to=2020-01-01T00:00');
    expect([turned.status, turned.html.includes('must be before the second')]).toEqual([400, true]);
  });

  it('shows what strangers wrote as letters, in its filters too', async () => {
    const { html } = await open(`/ledger?client=${encodeURIComponent(HOSTILE)}&tool=%ff`);
    expect(html).not.toMatch(/<script>|\u202e|\u{e0172}|\u3164|\u034f|\u2800|\u2065/u);
  });
});

describe('a call’s page', () => {
  it('shows the call whole, spelt out', async () => {
    const { entries } = await gate().ledger({ tool: 'hello', limit: 200 });
    const hostile = entries.at(-1);
    const { status, html } = await open(`/ledger/${hostile?.seq}`);
    expect(status).toBe(200);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toMatch(/<script>|\u202e|\u{e0172}|\u3164|\u034f|\u2800|\u2065/u);
    expect(html).toContain('console');
  });

  it('leads to the approval that let it run', async () => {
    const [waiting] = await gate().approvals('pending');
    await gate().decide(waiting?.code ?? '', 'approve', 'tests', true);
    await (await own.submit('/catalogue/write_memory_entry', { csrf: own.csrf, ...WAITS })).text();
    const [entry] = (await gate().ledger({ tool: 'write_memory_entry', outcome: 'ok', limit: 1 })).entries;
    const { html } = await open(`/ledger/${entry?.seq}`);
    expect(html).toMatch(/href="\/approvals\/[\w-]+"/);
    expect(html).toContain('Result</h2>');
  });

  it.each(['0', '-1', 'x', '1e3', '999999999', '9'.repeat(16)])('is not there for %s', async (seq) => {
    const { status, html } = await open(`/ledger/${seq}`);
    expect(status).toBe(404);
    expect(html).toContain('No such call');
  });
});
