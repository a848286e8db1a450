import { afterEach, describe, expect, it, vi } from 'vitest';
import { inOwner, type OwnerBrowser, signedIn } from '../auth/owner.ts';
import { gateNamed } from './rig.ts';

/** The gate that the product itself asks. */
const gate = () => gateNamed('owner');

/** What the editor's form says of a rule that is fit to be saved. */
const typed = {
  tool: 'hello',
  effect: 'allow',
  kind: 'arguments',
  fields: 'name = Ada',
  operands: 'none',
  days: '30',
  note: 'for the morning',
  must: '{"name":"Ada"}',
  mustNot: '{"name":"Eve"}\r\n{"name":"Mallory"}',
};

afterEach(async () => {
  vi.useRealTimers();
  for (const { id } of await gate().rules()) await gate().removeRule(id);
});

const post = async (own: OwnerBrowser, path: string, fields: Record<string, string>) => {
  const answer = await own.submit(path, { csrf: own.csrf, ...fields });
  return { status: answer.status, to: answer.headers.get('location'), html: await answer.text() };
};
const open = async (own: OwnerBrowser, path: string) => {
  const answer = await own.send(path);
  return { status: answer.status, html: await answer.text() };
};

/** Runs `hello` from its form, and gives its number in the ledger. */
async function called(own: OwnerBrowser, name: string): Promise<number> {
  await (await own.submit('/catalogue/hello', { csrf: own.csrf, 'arg.name': name })).text();
  const [entry] = (await gate().ledger({ tool: 'hello', limit: 1 })).entries;
  return entry?.seq ?? 0;
}

/** An owner who has not shown that it is them for long. */
async function stale(): Promise<OwnerBrowser> {
  const own = await signedIn();
  await inOwner((sql) => sql.exec('UPDATE session SET proven_at = 0'));
  return own;
}

describe('the editor of rules', () => {
  it('begins empty, or with the narrowest rule for a past call, shown with the calls it would have let through', async () => {
    const own = await signedIn();
    expect((await open(own, '/rules/new')).html).toContain('once the rule is complete');
    const seq = await called(own, 'Ada');
    const { status, html } = await open(own, `/rules/new?from=${seq}`);
    expect(status).toBe(200);
    expect(html).toContain('name = &quot;Ada&quot;');
    expect(html).toContain(`href="/ledger/${seq}"`);
    expect((await open(own, '/rules/new?from=999999999')).status).toBe(404);
    expect((await open(own, '/rules/new?from=drop%20table')).html).toContain('once the rule is complete');
  });

  it('tries what is typed on the past, and saves nothing by it', async () => {
    const own = await signedIn();
    const seq = await called(own, 'Ada');
    const tried = await post(own, '/rules/preview', typed);
    expect(tried.status).toBe(200);
    expect(tried.html).toContain(`href="/ledger/${seq}"`);
    expect(await gate().rules()).toEqual([]);
  });

  it('saves a rule, shows it, and opens it again as it was typed', async () => {
    const own = await signedIn();
    const saved = await post(own, '/rules', typed);
    const [rule] = await gate().rules();
    expect([saved.status, saved.to]).toEqual([303, `/rules#${rule?.id}`]);
    expect(rule).toMatchObject({
      tool: 'hello',
      match: { kind: 'arguments', fields: { name: { equals: 'Ada' } } },
      examples: { must: ['{"name":"Ada"}'], mustNot: ['{"name":"Eve"}', '{"name":"Mallory"}'] },
      enabled: true,
    });
    expect((await open(own, '/rules')).html).toContain('for the morning');
    const again = await open(own, `/rules/new?rule=${rule?.id}`);
    expect(again.html).toContain('name = &quot;Ada&quot;');
    expect((await open(own, '/rules/new?rule=rule_none')).status).toBe(404);
  });

  it.each([
    ['days that are none', { days: 'soon' }, 'Give a number of days'],
    ['a line that says nothing', { fields: 'name' }, 'is not “name = value”'],
    ['a tool that nobody has', { tool: 'no_such_tool' }, 'no_such_tool'],
    ['an example that it does not fit', { must: '{"name":"Eve"}' }, 'Eve'],
    ['a rule that lets anything through', { kind: 'any' }, 'cannot allow a tool whatever its arguments'],
  ])('saves nothing with %s, and says why beside what was typed', async (_, change, why) => {
    const own = await signedIn();
    const answer = await post(own, '/rules', { ...typed, ...change });
    expect(answer.status).toBe(400);
    expect(answer.html).toContain(why);
    expect(answer.html).toContain('for the morning');
    expect(await gate().rules()).toEqual([]);
  });

  it('takes no form but its own', async () => {
    const own = await signedIn();
    for (const path of ['/rules', '/rules/preview', '/rules/rule_none']) {
      const answer = await post(own, path, { ...typed, csrf: 'wrong' });
      expect(answer.status).toBe(403);
      expect(answer.html).toContain('had expired');
    }
    expect(await gate().rules()).toEqual([]);
  });
});

describe('the list of rules', () => {
  /** A rule that stands, by its id. */
  const standing = async (change: Partial<typeof typed> = {}): Promise<string> => {
    await post(await signedIn(), '/rules', { ...typed, ...change });
    return (await gate().rules())[0]?.id ?? '';
  };

  it('switches a rule off and on, and removes it', async () => {
    const own = await signedIn();
    const id = await standing();
    expect((await post(own, `/rules/${id}`, { do: 'off' })).to).toBe(`/rules#${id}`);
    expect((await gate().rules())[0]?.enabled).toBe(false);
    expect((await post(own, `/rules/${id}`, { do: 'on' })).to).toBe(`/rules#${id}`);
    expect((await gate().rules())[0]?.enabled).toBe(true);
    expect((await post(own, `/rules/${id}`, { do: 'explode' })).status).toBe(400);
    expect((await post(own, `/rules/${id}`, { do: 'remove' })).to).toBe('/rules');
    expect(await gate().rules()).toEqual([]);
    for (const act of ['on', 'off', 'remove'])
      expect((await post(own, `/rules/${id}`, { do: act })).status).toBe(404);
  });

  it('says why a rule that ran out cannot be switched on', async () => {
    const own = await signedIn();
    const id = await standing({ days: '1' });
    await gate().switchRule(id, false);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 });
    const late = await signedIn();
    const answer = await post(late, `/rules/${id}`, { do: 'on' });
    expect(answer.status).toBe(409);
    expect(answer.html).toContain('role="alert"');
    expect((await gate().rules())[0]?.enabled).toBe(false);
    expect(own.id).not.toBe(late.id);
  });

  it('lets nobody who only has a session say yes for good, whatever they may take back', async () => {
    const id = await standing();
    await gate().switchRule(id, false);
    const own = await stale();
    const saved = await post(own, '/rules', { ...typed, fields: 'name = Bob', must: '{"name":"Bob"}' });
    expect([saved.status, saved.html.includes('Is it you?')]).toEqual([403, true]);
    expect((await post(own, `/rules/${id}`, { do: 'on' })).status).toBe(403);
    expect(await gate().rules()).toMatchObject([{ id, enabled: false }]);
    expect((await post(own, `/rules/${id}`, { do: 'remove' })).status).toBe(303);
  });
});
