import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Width } from '../../src/gate/rules/rule-widths.ts';
import { type Answer, startTwoSides } from '../support/two-sides.ts';

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

/** Makes a call and says "always" of a width whenever it asks. Tells how it ended, and how often it asked. */
async function make(
  tool: string,
  args: object,
  width: Width,
): Promise<{ answer: Answer; decisions: number }> {
  let answer: Answer | undefined;
  const calling = sides.call(tool, args).then((ended) => {
    answer = ended;
  });
  let decisions = 0;
  while (!answer) {
    const { approvals } = (await sides.owner.call('GET', 'approvals?state=pending')) as {
      approvals: { code: string }[];
    };
    for (const { code } of approvals) {
      await sides.owner.call('POST', `approvals/${code}`, { decision: 'always', width, lasts: 'hour' });
      decisions += 1;
    }
  }
  await calling;
  return { answer, decisions };
}

const edit = (from: string, to: string) =>
  ['replace_string_in_file', { path: 'db.js', old_string: from, new_string: to }] as const;
const run = (command: string) => ['run_in_terminal', { command, timeout_seconds: 100 }] as const;
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
