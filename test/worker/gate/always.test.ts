import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Preview } from '../../../contracts/preview.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import type { GateAnswer, GateCall } from '../../../src/gate/messages.ts';
import { api, signedIn } from '../auth/owner.ts';
import { approvalIn, gateCall, MINUTE, START, seqIn } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

const preview: Preview = { facts: [], files: null, diff: null, state: 'as it was', sandboxed: true };
const HOUR = 60 * MINUTE;

let name = '';
const gate = () => gateNamed(name);
beforeEach(() => {
  name = crypto.randomUUID();
  vi.useFakeTimers({ toFake: ['Date'], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

let times = 0;
function asking(tool: string, args: Record<string, unknown>, change: Partial<GateCall> = {}): GateCall {
  const canonical = canonicalJson({ repeat: false, ...args });
  return gateCall({
    ...{ tool, machine: 'mini', root: 'shop', risk: 'dangerous', digest: `${tool} ${canonical}` },
    ...{
      args: canonical,
      shownArgs: canonicalJson({ repeat: false, root: 'shop', ...args }),
      callId: `always_${++times}`,
    },
    ...change,
  });
}
const run = (command: string, change: Partial<GateCall> = {}) =>
  asking('run_in_terminal', { command, timeout_seconds: 30 }, change);
const edit = (path: string, change: Partial<GateCall> = {}) =>
  asking('replace_string_in_file', { path, old_string: `${++times}`, new_string: 'b' }, change);
const create = (path: string) =>
  asking('create_file', { path, content: `${++times}` }, { risk: 'safe_write' });

async function end(answer: GateAnswer): Promise<void> {
  const end = { at: Date.now(), outcome: 'ok', code: null, bytes: 0, result: null } as const;
  await gate().settle([{ seq: seqIn(answer), end }]);
}

/** Makes a call, and says "always" of that width if it asks. Tells how often the owner had to decide. */
async function make(
  call: GateCall,
  width: 'exact' | 'like' | 'tool' | 'folder',
  lasts: 'hour' | 'day' | 'month' = 'hour',
): Promise<number> {
  const answer = await gate().admit(call, []);
  if (answer.kind !== 'ask') {
    await end(answer);
    return 0;
  }
  const said = await gate().decide(answer.approval.code, 'always', 'ada', true, '', { width, lasts });
  expect(said).toMatchObject({ state: 'approved' });
  await end(await gate().admit(call, []));
  return 1;
}

const session = () => [
  edit('src/db.ts'),
  run('npm test 2>&1 | tail -20'),
  create('src/db.test.ts'),
  run('npm test -- db'),
  run('npm test'),
  run('git commit -m "Mend the door"'),
];

describe('a session of two edits, three test runs and a commit', () => {
  it('needs three decisions with rules for calls like these', async () => {
    let decisions = 0;
    for (const call of session()) decisions += await make(call, 'like');
    expect(decisions).toBe(3);
  });

  it('needs one with a grant for the folder, while its commands run in a sandbox', async () => {
    let decisions = 0;
    for (const call of session()) {
      const looked = call.tool === 'run_in_terminal' ? { ...call, shown: { preview } } : call;
      decisions += await make(looked, 'folder');
    }
    expect(decisions).toBe(1);
  });
});

describe('"always" for a while', () => {
  it.each([
    ['hour', HOUR],
    ['day', 24 * HOUR],
    ['month', 30 * 24 * HOUR],
  ] as const)('%s: holds until it is over, and not at that moment', async (lasts, ms) => {
    await make(edit('src/a.ts'), 'like', lasts);
    vi.setSystemTime(START + ms - 1);
    expect((await gate().admit(edit('src/b.ts'), [])).kind).toBe('admitted');
    vi.setSystemTime(START + ms);
    expect((await gate().admit(edit('src/c.ts'), [])).kind).toBe('ask');
    vi.setSystemTime(START + ms + 1);
    expect((await gate().admit(edit('src/d.ts'), [])).kind).toBe('ask');
  });

  it('means exactly this for 30 days where nothing else is said', async () => {
    const { code } = approvalIn(await gate().admit(create('src/a.ts'), []));
    expect(await gate().decide(code, 'always', 'ada', true)).toMatchObject({ state: 'approved' });
    vi.setSystemTime(START + 30 * 24 * HOUR - 1);
    // Other content of the same file is the same decision; another file is not.
    expect((await gate().admit(create('src/a.ts'), [])).kind).toBe('admitted');
    expect((await gate().admit(create('src/b.ts'), [])).kind).toBe('ask');
  });

  it('is not to be had by one who has not proven themselves', async () => {
    const { code } = approvalIn(await gate().admit(create('src/a.ts'), []));
    const reach = { width: 'tool', lasts: 'hour' } as const;
    expect(await gate().decide(code, 'always', 'ada', false, '', reach)).toMatchObject({
      refused: 'proof_needed',
    });
    expect(await gate().rules()).toEqual([]);
  });

  it('answers what waits already and is covered by it', async () => {
    const [first, second, other] = [edit('src/a.ts'), edit('src/b.ts'), edit('lib/c.ts')];
    const answers = [];
    for (const call of [first, second, other]) answers.push(approvalIn(await gate().admit(call, [])));
    await gate().decide(answers[0]?.code ?? '', 'always', 'ada', true, '', { width: 'like', lasts: 'hour' });
    const states = await Promise.all(answers.map(async ({ code }) => (await gate().approval(code))?.state));
    expect(states).toEqual(['approved', 'approved', 'pending']);
    expect((await gate().admit(second, [])).kind).toBe('admitted');
  });
});

describe('a yes to the whole terminal', () => {
  const sandboxed = { shown: { preview } };
  const granted = async () => {
    await make(run('npm test', sandboxed), 'tool');
  };

  it('is not to be had where nothing keeps commands in', async () => {
    for (const shown of [
      { why: 'Nobody looked.' },
      { preview: { ...preview, sandboxed: false } },
      { preview: { ...preview, state: null } },
    ]) {
      const { code } = approvalIn(await gate().admit(run(`npm test ${++times}`, { shown }), []));
      for (const width of ['tool', 'folder'] as const) {
        const said = await gate().decide(code, 'always', 'ada', true, '', { width, lasts: 'hour' });
        expect(said).toMatchObject({ refused: 'no_rule' });
      }
    }
    expect(await gate().rules()).toEqual([]);
  });

  it('is asked for a look at each call, and goes by what was seen', async () => {
    await granted();
    expect(await gate().admit(run('make all', { shown: null }), [])).toEqual({ kind: 'look' });
    expect(await gate().admit(run('make all', sandboxed), [])).toMatchObject({
      kind: 'admitted',
      seen: 'as it was',
    });
  });

  it('has each look count towards the limit of a minute', async () => {
    await granted();
    const refused = () => gate().admit(run(`make ${++times}`, { shown: null, perMinute: 3 }), []);
    for (const kind of ['look', 'look', 'refused']) expect((await refused()).kind).toBe(kind);
  });

  it('is none once the sandbox is gone', async () => {
    await granted();
    for (const shown of [
      { preview: { ...preview, sandboxed: false } },
      { why: 'The machine did not answer.' },
    ]) {
      expect((await gate().admit(run(`make ${++times}`, { shown }), [])).kind).toBe('ask');
    }
  });

  it('gives nothing to a no for some command that may be hidden in another', async () => {
    await granted();
    const draft = {
      ...{
        tool: 'run_in_terminal',
        machine: null,
        effect: 'deny',
        expiresAt: START + HOUR,
        maxUses: null,
        note: '',
      },
      match: { kind: 'argv', argv: ['curl'], options: [], operands: 'any', fields: {} },
      examples: { must: ['{"command":"curl x"}'], mustNot: ['{"command":"git"}'] },
    } as const;
    const make = (command: string) => gate().admit(run(command, sandboxed), []);
    expect((await make('make; true')).kind).toBe('admitted');
    expect(await gate().addRule(structuredClone(draft) as never, true)).toMatchObject({ effect: 'deny' });
    expect(await make('curl x')).toMatchObject({ code: 'denied_by_rule' });
    for (const command of ['true; curl x', 'bash -c "curl x"', 'env curl x', 'npm run x', 'ls $(curl x)'])
      expect([command, (await make(command)).kind]).toEqual([command, 'ask']);
    expect((await make('git status')).kind).toBe('admitted');
  });
});

describe('what each width would have let through', () => {
  it('is counted on the ledger, and names what was denied', async () => {
    await end(
      await (async () => {
        const call = run('npm test');
        await gate().decide(approvalIn(await gate().admit(call, [])).code, 'approve', 'ada', true);
        return gate().admit(call, []);
      })(),
    );
    const denied = run('npm test -- --wipe');
    const endOf = { at: START, outcome: 'failed', code: 'approval_denied', bytes: 0, result: null } as const;
    await gate().settle([
      { call: run('npm test -- wipe'), end: endOf },
      { call: denied, end: endOf },
      { call: run('npm test'), end: { ...endOf, code: 'approval_expired' } },
    ]);
    const { code } = approvalIn(await gate().admit(run('npm test -- db'), []));
    const offers = await gate().alwaysOffers(code);
    expect(offers).toEqual([
      expect.objectContaining({ width: 'exact', checked: 4, passed: 0, denied: 0, lastDenied: null }),
      expect.objectContaining({ width: 'like', checked: 4, passed: 3, denied: 1, lastDenied: 2 }),
      { width: 'tool', problem: expect.stringContaining('sandbox') },
      { width: 'folder', problem: expect.stringContaining('sandbox') },
    ]);
  });
});

describe('the page and the API', () => {
  const own = () => gateNamed('owner');
  const waiting = async () => {
    const call = create(`${crypto.randomUUID()}/a`);
    return approvalIn(await own().admit({ ...call, principal: crypto.randomUUID() }, [])).code;
  };
  beforeEach(() => {
    vi.useRealTimers();
  });

  it('offer each width in words, and write the rule that was chosen', async () => {
    const visit = await signedIn();
    const code = await waiting();
    const html = await (await visit.send(`/approvals/${code}`)).text();
    for (const words of ['Exactly <code', 'Edits in', 'For an hour'])
      expect(html.includes(words) || words.startsWith('Exactly')).toBe(true);
    const sent = await visit.submit(`/approvals/${code}`, {
      csrf: visit.csrf,
      decision: 'always',
      width: 'like',
      lasts: 'hour',
    });
    expect(sent.status).toBe(303);
    const rules = (await own().rules()).slice(-3);
    expect(rules.map(({ tool }) => tool).toSorted()).toEqual([
      'create_directory',
      'create_file',
      'replace_string_in_file',
    ]);
    for (const rule of rules) expect(rule.expiresAt - Date.now()).toBeLessThanOrEqual(HOUR);
  });

  it.each([{ width: 'all' }, { lasts: 'year' }, { width: '' }])('take no reach of %j', async (odd) => {
    const visit = await signedIn();
    const code = await waiting();
    const form = { csrf: visit.csrf, decision: 'always', width: 'like', lasts: 'hour', ...odd };
    expect((await visit.submit(`/approvals/${code}`, form)).status).toBe(409);
    const { csrf: _, ...body } = form;
    expect((await api(visit, 'POST', `approvals/${code}`, body)).status).toBe(400);
    expect(await own().approval(code)).toMatchObject({ state: 'pending' });
  });

  it('tell programs of each width as well', async () => {
    const visit = await signedIn();
    const { widths } = await (await api(visit, 'GET', `approvals/${await waiting()}/always`)).json<{
      widths: { width: string }[];
    }>();
    expect(widths.map(({ width }) => width)).toEqual(['exact', 'like', 'tool', 'folder']);
  });
});
