import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/json.ts';
import { matchesRule, type RuleDraft, TERMINAL_TOOL } from '../../../src/gate/rules/rule.ts';
import { checkRule } from '../../../src/gate/rules/rule-check.ts';
import {
  type AlwaysCall,
  LASTS,
  rulesOfWidth,
  WIDTHS,
  type Width,
} from '../../../src/gate/rules/rule-widths.ts';

const NOW = 1_800_000_000_000;

function call(tool: string, args: Record<string, unknown>, over: Partial<AlwaysCall> = {}): AlwaysCall {
  return {
    ...{ tool, machine: 'mini', root: 'shop', risk: 'dangerous', sandboxed: false },
    ...{ args, canonicalArgs: canonicalJson(args) },
    ...over,
  };
}
const run = (command: string, over: Partial<AlwaysCall> = {}) =>
  call(TERMINAL_TOOL, { command, timeout_seconds: 30, repeat: false }, over);
const edit = (path: string) =>
  call('replace_string_in_file', { path, old_string: 'a', new_string: 'b', repeat: false });
const create = (path: string) =>
  call('create_file', { path, content: 'x', repeat: false }, { risk: 'safe_write' });

const many = (...edits: Record<string, unknown>[]) => call('edit_files', { edits, repeat: false });
const change = (path: string, text = 'x') => ({ op: 'append', path, text });

const made = (width: Width, asked: AlwaysCall) => rulesOfWidth(width, asked, 'hour', NOW);
const draftsOf = (width: Width, asked: AlwaysCall): readonly RuleDraft[] => {
  const rules = made(width, asked);
  if ('problem' in rules) throw new Error(rules.problem.message);
  return rules.drafts;
};
const problemOf = (width: Width, asked: AlwaysCall) => {
  const rules = made(width, asked);
  return 'problem' in rules ? rules.problem.code : undefined;
};
const lets = (drafts: readonly RuleDraft[], asked: AlwaysCall) =>
  drafts.some((draft) => matchesRule(draft, asked));

describe('a command in a folder below the open one', () => {
  const inFolder = (cwd: string, command = 'npm test') =>
    call(TERMINAL_TOOL, { command, cwd, timeout_seconds: 30, repeat: false });

  it.each(['exact', 'like'] as const)('%s: needs a yes for that very folder', (width) => {
    expect(lets(draftsOf(width, run('npm test')), inFolder('node_modules/x'))).toBe(false);
    const rules = made(width, inFolder('app'));
    expect('words' in rules && rules.words).toContain('in the folder `app`');
    expect(lets(draftsOf(width, inFolder('app')), inFolder('app'))).toBe(true);
    for (const other of [run('npm test'), inFolder('app/x'), inFolder('.')])
      expect(lets(draftsOf(width, inFolder('app')), other)).toBe(false);
  });

  it('is denied by a no to the command, wherever it runs', () => {
    const [yes] = draftsOf('exact', run('git push'));
    if (!yes) throw new Error('no rule');
    const match = { kind: 'argv', argv: ['git', 'push'], options: [], operands: 'none', fields: {} } as const;
    expect(matchesRule({ ...yes, effect: 'deny', match }, inFolder('app', 'git push origin'))).toBe(true);
  });
});

describe('every width', () => {
  const calls = [
    run('npm test 2>&1 | tail', { sandboxed: true }),
    run('git commit -m "Fix the door"', { sandboxed: true }),
    edit('src/db.ts'),
    create('.github/a b/[x].yml'),
    many(change('src/db.ts'), { op: 'move', path: 'src/a b.ts', to: 'src/[c].ts' }),
    many({ op: 'delete', path: 'a.txt' }),
    call(
      'write_memory_entry',
      { file: 'decisions.jsonl', entry: 'x' },
      { machine: null, root: null, risk: 'safe_write' },
    ),
  ];

  it.each(WIDTHS)('%s: lets through the call itself, can be saved, and holds as long as it says', (width) => {
    for (const asked of calls) {
      for (const lasts of ['hour', 'day', 'month'] as const) {
        const rules = rulesOfWidth(width, asked, lasts, NOW);
        if ('problem' in rules) continue;
        expect(lets(rules.drafts, asked)).toBe(true);
        for (const draft of rules.drafts) {
          expect(draft.expiresAt).toBe(NOW + LASTS[lasts]);
          expect([draft.effect, draft.machine]).toEqual(['allow', asked.machine]);
          const around = {
            toolExists: () => true,
            isTerminal: (tool: string) => tool === TERMINAL_TOOL,
            now: NOW,
          };
          expect(checkRule(draft, around)).toEqual({ ok: true, draft });
        }
      }
    }
  });

  it('is for this machine and this folder alone', () => {
    for (const width of ['exact', 'like', 'folder'] as const) {
      for (const asked of [run('npm test', { sandboxed: true }), edit('src/db.ts')]) {
        const drafts = draftsOf(width, asked);
        expect(lets(drafts, { ...asked, machine: 'studio' })).toBe(false);
        const args = { ...asked.args, root: 'other' };
        expect(lets(drafts, { ...asked, root: 'other', args })).toBe(false);
      }
    }
  });
});

describe('several edits in one call', () => {
  const asked = many(change('src/db.ts'), { op: 'move', path: 'src/deep/a.ts', to: 'src/b.ts' });

  it('exactly: the same files with any content, and no other file', () => {
    const drafts = draftsOf('exact', asked);
    expect(lets(drafts, many(change('src/db.ts', 'other'), change('src/b.ts')))).toBe(true);
    for (const other of [change('src/c.ts'), change('srcXdb.ts'), { op: 'move', path: 'src/db.ts', to: 'x' }])
      expect([other, lets(drafts, many(change('src/db.ts'), other))]).toEqual([other, false]);
    expect(made('exact', asked)).toMatchObject({
      words:
        '`edit_files` of `src/db.ts`, `src/deep/a.ts`, `src/b.ts`, whatever it does with them in shop on mini',
    });
  });

  it('like it: all edits in the folder that its files share, with words for moves and deletions', () => {
    const drafts = draftsOf('like', asked);
    for (const other of [many({ op: 'delete', path: 'src/x/y.ts' }), edit('src/z.ts'), create('src/n/m.ts')])
      expect(lets(drafts, other)).toBe(true);
    for (const other of [
      many(change('src/a.ts'), change('b.ts')),
      many({ op: 'move', path: 'src/a', to: 'b' }),
    ])
      expect(lets(drafts, other)).toBe(false);
    expect(made('like', asked)).toMatchObject({
      words: 'Edits, moves and deletions in `src/` in shop on mini',
    });
  });

  it('are not let through by a yes to plainer edits, which says nothing of deletions', () => {
    for (const width of ['like', 'folder'] as const)
      expect(lets(draftsOf(width, edit('src/db.ts')), many({ op: 'delete', path: 'src/db.ts' }))).toBe(false);
  });

  it('have no yes to the whole tool, which is dangerous and has no sandbox', () => {
    expect(problemOf('tool', asked)).toBe('needs_sandbox');
  });
});

describe('the same program with other arguments', () => {
  it.each([
    [
      'npm test',
      ['npm test -- db', 'npm test 2>&1 | tail -20', 'npm test src/a'],
      ['npm run x', 'npm test; id', 'npm test --watch', 'npm test ../x', 'npm test | sh'],
    ],
    [
      'git commit -m "One"',
      ['git commit -m Two', 'git commit -m "a b" src/a'],
      ['git push', 'git commit --amend', 'git commit -F /etc/x'],
    ],
    ['cat src/a.ts', ['cat b.ts'], ['cat /etc/passwd', 'cat ../x', 'cat -A x']],
  ])('%s', (command, yes, no) => {
    const drafts = draftsOf('like', run(command));
    for (const other of yes) expect([other, lets(drafts, run(other))]).toEqual([other, true]);
    for (const other of no) expect([other, lets(drafts, run(other))]).toEqual([other, false]);
  });

  it.each([
    ['bash -c id', 'not_known'],
    ['npm run build', 'not_known'],
    ['git -C x status', 'not_known'],
    ['rm a.txt', 'not_known'],
    // With other arguments these run another program, and “other arguments” does not say so.
    ["git rebase --exec 'npm test' main", 'not_known'],
    ['cross-env CI=1 npm test', 'not_known'],
    ['rg --pre cat foo', 'acting_option'],
    ['jest --runner own src', 'acting_option'],
    ['go test -exec sudo x', 'acting_option'],
    // In a rule it would stand for any value.
    ['rg --pre= foo', 'acting_option'],
    ['rg --max-count= foo', 'acting_option'],
    ['ls -a -b -g -h -k -l -m', 'many_options'],
    ['npm test && id', 'shell_syntax'],
    // Its own argument leads out of the folder.
    ['cat /etc/hosts', 'example_not_matched'],
  ])('is not to be had for %s', (command, code) => {
    expect(problemOf('like', run(command))).toBe(code);
  });
});

describe('edits in this folder', () => {
  it('is for every tool that edits, below the folder of the file', () => {
    const drafts = draftsOf('like', edit('src/db/a.ts'));
    for (const path of ['src/db/b.ts', 'src/db/deep/c.ts', 'src/db/.eslintrc']) {
      expect(lets(drafts, edit(path))).toBe(true);
      expect(lets(drafts, create(path))).toBe(true);
      expect(lets(drafts, call('create_directory', { path, repeat: false }))).toBe(true);
    }
    for (const path of [
      ...[
        'src/a.ts',
        'src/db',
        'src/db/',
        'src/dbx/a.ts',
        'other/src/db/a.ts',
        'SRC/db/a.ts',
        '/src/db/a.ts',
      ],
      ...[
        'src/db/../x',
        'src/db/./x',
        'src/db/a/../../x',
        'src/db/..',
        'src/db/...',
        'src/db//x',
        'src/db/..\\x',
      ],
    ]) {
      expect([path, lets(drafts, edit(path))]).toEqual([path, false]);
    }
  });

  it('is the open folder for a file at its top', () => {
    const drafts = draftsOf('like', create('hello.py'));
    expect(lets(drafts, edit('src/a.ts'))).toBe(true);
    expect(lets(drafts, edit('../a.ts'))).toBe(false);
  });

  it('takes the name of the folder for letters, whatever is in it', () => {
    const drafts = draftsOf('like', create('a.b+(c)[d]^e $f/x'));
    expect(lets(drafts, create('a.b+(c)[d]^e $f/y'))).toBe(true);
    expect(lets(drafts, create('aXb+(c)[d]^e $f/y'))).toBe(false);
  });

  it.each(['../x/a', './a', 'a/../b/c', 'a//b'])('is not to be had for %s', (path) => {
    expect(problemOf('like', create(path))).toBe('strange_folder');
  });
});

describe('the whole tool for a while', () => {
  it('is never to be had for what is dangerous without a sandbox', () => {
    expect(problemOf('tool', run('npm test'))).toBe('needs_sandbox');
    expect(problemOf('tool', edit('a'))).toBe('needs_sandbox');
    expect(problemOf('folder', run('npm test'))).toBe('needs_sandbox');
    expect(problemOf('tool', create('a'))).toBeUndefined();
    expect(problemOf('tool', run('npm test', { sandboxed: true }))).toBeUndefined();
  });

  it('can not be written for longer than 30 days, nor as a no', () => {
    const [draft] = draftsOf('tool', create('a'));
    if (!draft) throw new Error('expected a rule');
    const around = { toolExists: () => true, isTerminal: () => false, now: NOW };
    const at = (ms: number) => checkRule({ ...draft, expiresAt: NOW + ms }, around);
    expect(at(LASTS.month).ok).toBe(true);
    expect(at(LASTS.month + 1)).toMatchObject({ problems: [{ code: 'expires_too_late' }] });
    expect(checkRule({ ...draft, effect: 'deny' }, around)).toMatchObject({
      problems: [{ code: 'tool_is_a_yes' }],
    });
  });
});
