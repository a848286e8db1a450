import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Width } from '../../src/gate/rules/rule-widths.ts';
import { hasSandbox } from '../node/terminal/rig.ts';
import { type Answer, startTwoSides } from '../support/two-sides.ts';
import { decideUntil } from '../support/waiting-calls.ts';

let sides: Awaited<ReturnType<typeof startTwoSides>>;
beforeAll(async () => {
  sides = await startTwoSides('session', { approves: false });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: sides.root });
  git('init', '-q');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  const manifest = { name: 'shop', version: '1.0.0', scripts: { test: 'node -e "console.log(1)"' } };
  writeFileSync(join(sides.root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(sides.root, 'db.js'), 'export const n = 1;\n');
  git('add', '-A');
  git('commit', '-qm', 'First');
}, 240_000);
afterAll(() => sides?.stop());

beforeEach(async () => {
  const { rules } = (await sides.owner.call('GET', 'rules')) as { rules: { id: string }[] };
  for (const { id } of rules) await sides.owner.call('DELETE', `rules/${id}`);
});

/** Makes a call and says "always" of a width, or no, whenever it asks. Tells how it ended, and how often it asked. */
async function make(
  tool: string,
  args: object,
  width: Width | 'deny',
): Promise<{ answer: Answer; decisions: number }> {
  const decision: Record<string, string> =
    width === 'deny' ? { decision: 'deny' } : { decision: 'always', width, lasts: 'hour' };
  const calling = sides.call(tool, args);
  const decisions = await decideUntil(calling, sides.owner, decision);
  return { answer: await calling, decisions };
}

const edit = (from: string, to: string) =>
  ['replace_string_in_file', { path: 'db.js', old_string: from, new_string: to }] as const;
const run = (command: string) => ['run_in_terminal', { command, timeout_seconds: 100 }] as const;
const several = (path: string) => ['edit_files', { edits: [{ op: 'create', path, text: 'x' }] }] as const;
const create = (path: string) => ['create_file', { path, content: 'x' }] as const;

async function decisionsOf(calls: readonly (readonly [string, object])[], width: Width): Promise<number> {
  let all = 0;
  for (const [tool, args] of calls) {
    const { answer, decisions } = await make(tool, args, width);
    expect(answer).toMatchObject({ success: true });
    all += decisions;
  }
  return all;
}

describe('a session with the real parts', () => {
  it('of two edits, three test runs and a commit needs at most four decisions', async () => {
    const session = [
      edit('n = 1', 'n = 2'),
      run('npm test 2>&1 | tail -20'),
      edit('n = 2', 'n = 3'),
      run('npm test'),
      run('npm test -- db'),
      run('git commit -qam "Mend the door"'),
    ];
    expect(await decisionsOf(session, 'like')).toBeLessThanOrEqual(4);
    const log = execFileSync('git', ['log', '-1', '--format=%s'], { cwd: sides.root, encoding: 'utf8' });
    expect(log.trim()).toBe('Mend the door');
  });

  it('needs one decision for all edits of a folder for an hour', async () => {
    const session = [create('a.txt'), edit('n = 3', 'n = 4'), create('deep/b.txt'), edit('n = 4', 'n = 5')];
    expect(await decisionsOf(session, 'like')).toBe(1);
  });
});

interface Offer {
  readonly width: Width;
  readonly words?: string;
  readonly problem?: string;
}

/** Makes a call, and gives what "always" offers for it; then says "always" of that width, or denies it. */
async function offered(tool: string, args: object, width?: Width): Promise<readonly Offer[]> {
  let ended: Answer | undefined;
  const calling = sides.call(tool, args).then((answer) => {
    ended = answer;
  });
  for (;;) {
    if (ended) throw new Error(`Nobody was asked: ${JSON.stringify(ended)}`);
    const { approvals } = (await sides.owner.call('GET', 'approvals?state=pending')) as {
      approvals: { code: string }[];
    };
    const [waiting] = approvals;
    if (!waiting) continue;
    const { widths } = (await sides.owner.call('GET', `approvals/${waiting.code}/always`)) as {
      widths: Offer[];
    };
    const decision = width ? { decision: 'always', width, lasts: 'hour' } : { decision: 'deny' };
    await sides.owner.call('POST', `approvals/${waiting.code}`, decision);
    await calling;
    return widths;
  }
}

/** Says how many times the owner was asked until the call ended, saying no each time. */
async function asked(tool: string, args: object): Promise<number> {
  return (await make(tool, args, 'deny')).decisions;
}

describe('the widths of "always" for a real terminal', () => {
  const widths = (offers: readonly Offer[]) =>
    offers.flatMap(({ width, problem }) => (problem === undefined ? [width] : []));

  it('the same program and subcommand with other arguments work, and no other command', async () => {
    const offers = await offered(...run('git log -1'), 'like');
    expect(offers.find(({ width }) => width === 'like')?.words).toMatch(/^`git log` with other arguments/);
    for (const command of ['git log', 'git log -1 db.js 2>&1 | head -1'])
      expect([command, await asked(...run(command))]).toEqual([command, 0]);
    expect(await asked(...run('git log --output=x'))).toBe(1);
    expect(await asked(...run('git push'))).toBe(1);
    expect(await asked(...run('git log; id'))).toBe(1);
  });

  it.skipIf(hasSandbox)('a whole tool that is dangerous is not offered without a sandbox', async () => {
    for (const [tool, args] of [run('git status'), several('three.txt')]) {
      const offers = await offered(tool, args);
      expect(widths(offers)).not.toContain('tool');
      expect(offers.find(({ width }) => width === 'tool')?.problem).toContain('sandbox');
    }
  });

  it.runIf(hasSandbox)(
    'a whole tool on this machine works in a sandbox, and for no other dangerous tool',
    async () => {
      const offers = await offered(...run('git status'), 'tool');
      expect(offers.find(({ width }) => width === 'tool')?.words).toMatch(/^Any command in the sandbox on /);
      expect(await asked(...run('echo one > one.txt && cat one.txt | tr a-z A-Z'))).toBe(0);
      expect(await asked(...create('two.txt'))).toBe(1);
      expect(widths(await offered(...several('three.txt')))).not.toContain('tool');
    },
  );
});
