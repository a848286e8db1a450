import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRig } from './rig.ts';

const OLD = 'const a = 1;\nconst b = 2;\n';

describe('git_read', () => {
  it('says what is not committed', async () => {
    const { read, repo, root } = gitRig({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': '3\n' });
    repo.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n', 'staged.txt': 'x\n' });
    repo.git('add', 'staged.txt');
    rmSync(join(root, 'b.txt'));
    const { output, metadata } = await read({ what: 'status' });
    expect(output).toBe(
      'On branch main: 4 changed files\n  modified: a.txt\n  deleted: b.txt\n  added: staged.txt (staged)\n  untracked: new.txt\n',
    );
    expect(metadata).toEqual({
      repository: '.',
      head: repo.git('rev-parse', 'HEAD'),
      branch: 'main',
      files: [
        { path: 'a.txt', change: 'modified', staged: false },
        { path: 'b.txt', change: 'deleted', staged: false },
        { path: 'staged.txt', change: 'added', staged: true },
        { path: 'new.txt', change: 'untracked', staged: false },
      ],
      truncated: false,
    });
  });

  it('knows what a branch follows', async () => {
    const { read, repo, above } = gitRig();
    repo.git('clone', '--quiet', '--bare', '.', join(above, 'origin.git'));
    repo.git('remote', 'add', 'origin', join(above, 'origin.git'));
    repo.git('fetch', '--quiet', 'origin');
    repo.git('branch', '--set-upstream-to=origin/main');
    repo.commit({ 'a.txt': 'two\n' });
    const { output, metadata } = await read({ what: 'status' });
    expect(output).toBe('On branch main (follows origin/main, 1 ahead, 0 behind): nothing changed\n');
    expect(metadata).toMatchObject({ upstream: 'origin/main', ahead: 1, behind: 0 });
  });

  it('shows what differs from the last commit, or from what was staged', async () => {
    const { read, repo } = gitRig({ 'src/a.ts': OLD });
    repo.write({ 'src/a.ts': OLD.replace('2', '3') });
    const expected =
      '# modified: src/a.ts\n--- src/a.ts\n+++ src/a.ts\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n';
    expect((await read({ what: 'diff' })).output).toBe(`From HEAD to the files: 1 changed file\n${expected}`);
    expect((await read({ what: 'diff', staged: true })).output).toBe(
      'From HEAD to what is staged: 0 changed files\n',
    );
    repo.git('add', '.');
    expect((await read({ what: 'diff', staged: true })).output).toContain(expected);
  });

  it('compares commits, and sees that a file was renamed', async () => {
    const { read, repo, root } = gitRig({ 'a.ts': OLD.repeat(5), 'gone.txt': 'x\n', 'b.bin': 'b' });
    const base = repo.git('rev-parse', 'HEAD');
    renameSync(join(root, 'a.ts'), join(root, 'b.ts'));
    rmSync(join(root, 'gone.txt'));
    repo.commit({ 'b.bin': Buffer.from([0, 1, 2]), 'fresh.txt': 'fresh\n' });
    const { output, metadata } = await read({ what: 'diff', base, ref: 'main' });
    expect(output).toContain('# renamed: a.ts -> b.ts\n# added: fresh.txt\n');
    expect(output).toContain('# deleted: gone.txt\n--- gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n');
    expect(output).toContain('# modified: b.bin (binary)\n');
    expect(output).toContain('--- /dev/null\n+++ fresh.txt\n@@ -0,0 +1,1 @@\n+fresh\n');
    expect(metadata).toMatchObject({
      files: [
        { path: 'b.bin', change: 'modified' },
        { path: 'b.ts', from: 'a.ts', change: 'renamed' },
        { path: 'fresh.txt', change: 'added' },
        { path: 'gone.txt', change: 'deleted' },
      ],
    });
  });

  it('lists commits in pages', async () => {
    const { read, repo } = gitRig();
    const ids = [1, 2, 3].map((n) => repo.commit({ 'a.txt': `${n}\n` }));
    repo.git('tag', 'v1', ids[1] ?? '');
    const { output, metadata } = await read({ what: 'log', limit: 2, skip: 1 });
    expect(metadata).toMatchObject({
      truncated: true,
      commits: [
        { id: ids[1], parents: [ids[0]], author: 'Ada', refs: ['tag: v1'] },
        { id: ids[0], refs: [] },
      ],
    });
    expect(output).toMatch(/^2 commits of HEAD\n {2}[0-9a-f]{10} 2026-\S+ Ada: at \d+ \(tag: v1\)\n/);
    expect(output).toContain('[There are more. Ask with `skip`: 3.]');
    expect((await read({ what: 'log', path: 'nothing.txt' })).output).toBe(
      '0 commits of HEAD that changed nothing.txt\n',
    );
  });

  it('shows a commit, the first one as well', async () => {
    const { read, repo } = gitRig();
    expect((await read({ what: 'show' })).output).toMatch(
      /^Commit [0-9a-f]{10} \S+ Ada: at \d+ \(HEAD -> main\)\n {4}at \d+\n# added: a\.txt\n--- \/dev\/null\n/,
    );
    repo.git('commit', '--allow-empty', '-q', '-m', 'Subject\n\nA body\nof two lines');
    expect((await read({ what: 'show' })).output).toContain(
      '    Subject\n    \n    A body\n    of two lines\n',
    );
  });

  it('says where each line comes from', async () => {
    const { read, repo } = gitRig({ 'a.txt': 'one\ntwo\n' });
    const first = repo.git('rev-parse', 'HEAD').slice(0, 8);
    const second = repo.commit({ 'a.txt': 'one\n2\nthree\n' }).slice(0, 8);
    const { output, metadata } = await read({ what: 'blame', path: 'a.txt' });
    expect(output.split('\n').slice(1)).toEqual([
      `${first} 2026-01-09 Ada 1: one`,
      `${second} 2026-01-09 Ada 2: 2`,
      `${second} 2026-01-09 Ada 3: three`,
      '',
    ]);
    expect(metadata).toMatchObject({ lines: 3, truncated: false });
    expect((await read({ what: 'blame', path: 'a.txt', start_line: 2, end_line: 9 })).output).toMatch(
      /^Lines 2-3 /,
    );
  });

  it('finds the repository around a path, and looks at that path alone', async () => {
    const { read, repo } = gitRig({ 'a.txt': '1\n', 'docs/b.txt': '1\n' });
    repo.write({ 'a.txt': '2\n', 'docs/b.txt': '2\n' });
    for (const path of ['docs', 'docs/b.txt'])
      expect((await read({ what: 'diff', path })).metadata.files).toEqual([
        { path: 'docs/b.txt', change: 'modified' },
      ]);
  });

  it('reads a repository further down, and names files from there', async () => {
    const { read, repo } = gitRig();
    repo.git('clone', '--quiet', '--no-hardlinks', '.', 'deep/inner');
    repo.write({ 'deep/inner/a.txt': 'inner\n' });
    const { metadata, output } = await read({ what: 'diff', path: 'deep/inner/a.txt' });
    expect(metadata).toMatchObject({ repository: 'deep/inner', files: [{ path: 'deep/inner/a.txt' }] });
    expect(output).toContain('+inner');
    expect((await read({ what: 'status', path: 'deep' })).metadata.repository).toBe('.');
  });

  it('reads a repository without a commit', async () => {
    const { read, refused, repo, root } = gitRig();
    rmSync(join(root, '.git'), { recursive: true });
    repo.git('init', '--quiet', '--initial-branch=main');
    expect(await read({ what: 'status' })).toMatchObject({ metadata: { head: null, branch: 'main' } });
    repo.git('add', 'a.txt');
    expect((await read({ what: 'diff' })).output).toContain('From nothing to the files: 1 changed file');
    expect((await refused({ what: 'log' })).code).toBe('unknown_ref');
  });

  it.each([
    [{ what: 'log', ref: 'nowhere' }, 'unknown_ref'],
    [{ what: 'diff', base: 'HEAD~99' }, 'unknown_ref'],
    [{ what: 'blame', path: 'missing.txt' }, 'path_not_in_commit'],
    [{ what: 'blame' }, 'path_not_in_commit'],
    [{ what: 'blame', path: 'a.txt', start_line: 9 }, 'invalid_line_range'],
    [{ what: 'status', path: '../x' }, 'path_outside_root'],
    [{ what: 'status', path: '.env' }, 'path_denied'],
    [{ what: 'status', root: 'other' }, 'unknown_root'],
  ])('refuses %j', async (args, code) => {
    expect((await gitRig().refused(args)).code).toBe(code);
  });

  it('says that there is no repository, and looks for none above the open folder', async () => {
    const { refused, repo, root, above } = gitRig();
    rmSync(join(root, '.git'), { recursive: true });
    repo.git('init', '--quiet', above);
    expect((await refused({ what: 'status' })).code).toBe('not_a_repository');
  });
});
