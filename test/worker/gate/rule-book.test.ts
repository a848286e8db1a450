import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { MAX_RULE_CHARS } from '../../../src/gate/rules/rule-check.ts';
import type { RuleDraft } from '../../../src/gate/rules/rule-draft.ts';
import { openRig, type Rig } from './rig.ts';
import { noFor, rigWith, ruleFor } from './rule-drafts.ts';
import { failureIn, sendBy } from './ways.ts';

const DAY = 86_400_000;

/** Has a call asked for, and gives the code of its approval. */
async function ask(rig: Rig, args: object, tool = 'desk_write'): Promise<string> {
  const before = rig.announced.all.length;
  const answer = await sendBy('url', rig, { args, tool });
  expect(answer.kind).toBe('asked');
  return (await rig.announced.nth(before + 1)).code;
}

describe('“always”', () => {
  const args = { path: 'a', content: 'x', machine: 'mini' };

  it('approves the call and writes the narrowest rule, which it shows', async () => {
    const rig = openRig();
    const decided = await rig.decide(await ask(rig, args), 'always');
    const until = new Date(Date.now() + 30 * DAY).toISOString().slice(0, 10);
    const text = `Allow "desk_write" on "mini" when content is "x" and path is "a" and nothing else is given, until ${until}`;
    expect(decided).toMatchObject({ state: 'approved', rule: expect.stringContaining(text) });
    expect(await rig.gate().rules()).toMatchObject([
      {
        tool: 'desk_write',
        machine: 'mini',
        effect: 'allow',
        match: { kind: 'arguments', fields: { path: { equals: 'a' }, content: { equals: 'x' } } },
        uses: 0,
        maxUses: null,
      },
    ]);
    expect(await sendBy('rest', rig, { args })).toMatchObject({ text: 'run 1' });
    // The yes was for that run; from the next on it is the rule that lets it run.
    expect(await sendBy('rest', rig, { args: { ...args, repeat: true } })).toMatchObject({ text: 'run 2' });
    expect(await rig.gate().rules()).toMatchObject([{ uses: 1 }]);
    expect((await rig.ledger({ outcome: 'ok' })).map(({ decision }) => decision)).toEqual([
      'allowed',
      'approved',
    ]);
  });

  it('lets no other call run', async () => {
    const rig = openRig();
    await rig.decide(await ask(rig, args), 'always');
    const changes = [{ path: 'b' }, { content: 'y' }, { content: '' }, { machine: 'studio' }];
    const asked = [...changes.map((change) => ({ ...args, ...change })), { path: 'a', content: 'x' }];
    // One caller may have five that wait.
    for (const other of asked) await rig.decide(await ask(rig, other), 'deny');
    await ask(rig, args, 'desk_burn');
    expect(rig.desk.runs).toEqual([]);
  });

  it('is for whoever makes the call, and so shows no principal', async () => {
    const rig = openRig();
    await rig.decide(await ask(rig, args), 'always');
    expect(await sendBy('rest', rig, { args, as: 'bob' })).toMatchObject({ text: 'run 1' });
  });

  it('decides nothing where there can be no such rule, and says why', async () => {
    const rig = openRig();
    const code = await ask(rig, { path: 'a', content: 'x'.repeat(70_000) });
    const decided = await rig.decide(code, 'always');
    expect(decided).toMatchObject({
      refused: 'no_rule',
      message: expect.stringContaining('too long for a rule'),
    });
    expect(await rig.gate().approval(code)).toMatchObject({ state: 'pending' });
    expect(await rig.gate().rules()).toEqual([]);
    expect(await rig.decide(code)).toEqual({ state: 'approved' });
  });

  it('writes no rule for a call that can no longer be decided', async () => {
    const rig = openRig();
    const code = await ask(rig, args);
    await rig.decide(code, 'deny');
    expect(await rig.decide(code, 'always')).toMatchObject({ refused: 'approval_denied' });
    expect(await rig.gate().rules()).toEqual([]);
  });
});

describe('a rule that today’s checks refuse', () => {
  /** Writes another rule into the row of one, as an older version may have left it there. */
  const rewrite = async (rig: Rig, draft: RuleDraft) => {
    await rig.inGate((sql) => sql.exec('UPDATE rule SET body = ?', JSON.stringify(draft)).rowsWritten);
    await evictDurableObject(rig.gate());
  };
  const path = (regex: string): Partial<RuleDraft> => ({
    match: { kind: 'arguments', fields: { path: { regex }, content: { any: true } } },
  });
  const { must, mustNot } = ruleFor().examples;

  it.each<[string, Partial<RuleDraft>]>([
    ['is not anchored', path('docs/[a-z]+')],
    ['is empty', path('')],
    ['looks ahead', path('^(?=docs)docs/[a-z]+$')],
    ['does not compile', path('^docs/[a-z+$')],
    ['could cross a quote', { match: { kind: 'json', regex: '^\\{"content":"","path":"docs/.*\\}$' } }],
    ['has no example', { examples: { must: [], mustNot } }],
    ['has no counter-example', { examples: { must, mustNot: [] } }],
    ['no longer matches its example', path('^doc/[a-z]+$')],
    ['matches its counter-example', path('^[a-z]+/[a-z]+$')],
    ['allows anything', { match: { kind: 'any' } }],
    ['lasts for ever', { expiresAt: Date.now() + 400 * DAY }],
  ])('as one that %s, is off when the object begins, and asks', async (_, change) => {
    const { rig } = await rigWith(ruleFor());
    await rewrite(rig, ruleFor(change));
    expect(await sendBy('url', rig, { args: { path: 'docs/a' } })).toMatchObject({ kind: 'asked' });
    expect(await rig.gate().rules()).toMatchObject([{ enabled: false }]);
    expect(rig.desk.runs).toEqual([]);
  });

  it('cannot be switched on again', async () => {
    const { rig, ids } = await rigWith(ruleFor());
    await rewrite(rig, ruleFor(path('docs/[a-z]+')));
    const switched = await rig.gate().switchRule(ids[0] ?? '', true);
    expect(switched).toMatchObject({ problems: [{ code: expect.stringMatching(/anchor/) }] });
    expect(await rig.gate().rules()).toMatchObject([{ enabled: false }]);
  });

  it('goes on saying no, if that is what it says', async () => {
    const { rig } = await rigWith(noFor('deny'));
    await rewrite(rig, noFor('deny', path('^docs/secret[a-z*$')));
    expect(failureIn(await sendBy('rest', rig, { args: { path: 'docs/secret' } })).code).toBe(
      'denied_by_rule',
    );
    expect(await rig.gate().rules()).toMatchObject([{ enabled: true }]);
  });

  it('is not one that is as long as a rule may be', async () => {
    const { rig } = await rigWith();
    const draft = ruleFor({ note: '' });
    const room = MAX_RULE_CHARS - JSON.stringify(draft).length;
    const long = ruleFor({ note: 'n'.repeat(room), expiresAt: draft.expiresAt });
    expect(await rig.gate().addRule({ ...long, note: `${long.note}n` }, true)).toMatchObject({
      problems: [{ code: 'rule_too_large' }],
    });
    expect(await rig.gate().addRule(long, true)).toMatchObject({ enabled: true });
    await evictDurableObject(rig.gate());
    expect(await rig.gate().rules()).toMatchObject([{ enabled: true }]);
  });
});

describe('a rule tried out', () => {
  it('shows which past calls it would have covered, and saves nothing', async () => {
    const rig = openRig();
    for (const path of ['docs/a', 'src/a', 'docs/b', 'docs/B']) await ask(rig, { path, content: 'x' });
    await sendBy('rest', rig, { tool: 'desk_keep', args: { path: 'docs/a' } });
    await rig.ledger();
    const tried = await rig.gate().previewRule(ruleFor(), true);
    expect(tried).toMatchObject({
      problems: [],
      checked: 4,
      text: expect.stringMatching(/^Allow "desk_write"/),
    });
    expect(tried.matches.map(({ args }) => JSON.parse(args).path)).toEqual(['docs/b', 'docs/a']);
    expect(await rig.gate().rules()).toEqual([]);
  });

  it('shows none, but what is wrong, if it could not be saved', async () => {
    const rig = openRig();
    await ask(rig, { path: 'docs/a' });
    await rig.ledger();
    const unfit = ruleFor({ match: { kind: 'any' } });
    const tried = await rig.gate().previewRule(unfit, true);
    expect(tried).toMatchObject({ problems: [{ code: 'allows_anything' }], checked: 1, matches: [] });
    expect(await rig.gate().previewRule(ruleFor(), false)).toMatchObject({
      problems: [{ code: 'unknown_tool' }],
    });
  });
});
