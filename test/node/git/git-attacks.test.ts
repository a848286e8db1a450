import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTILE } from '../../support/hostile-repo.ts';
import { beside, type GitRig, gitRig, readAll } from './rig.ts';

describe('what a hostile repository names', () => {
  it.each(HOSTILE)('is not run: %s', async (_, plant) => {
    const rig = gitRig();
    const { repo, ran } = rig;
    repo.write({ 'a.txt': 'other\n' });
    plant(rig);
    appendFileSync(join(repo.root, 'a.txt'), 'touched\n');
    const before = readdirSync(join(repo.root, '.git')).sort();
    rmSync(join(rig.above, 'ran'), { force: true });
    const all = await readAll(rig);
    expect(ran()).toBe(false);
    expect(all).toContain('On branch main');
    expect(readdirSync(join(repo.root, '.git')).sort()).toEqual(before);
  });

  it('cannot keep git from starting by settings that are too long for its environment', async () => {
    const rig = gitRig();
    const long = 'x'.repeat(200_000);
    appendFileSync(
      join(rig.repo.root, '.git', 'config'),
      `[branch "${long}"]\n\tmerge = refs/heads/main\n[branch "main"]\n\tremote = ${long}\n\tmerge = refs/heads/main\n`,
    );
    for (let i = 0; i < 400; i++)
      appendFileSync(
        join(rig.repo.root, '.git', 'config'),
        `[branch "b${i}"]\n\tmerge = ${'y'.repeat(9_000)}\n`,
      );
    expect(await readAll(rig)).toContain('On branch main');
  });

  it('is not looked at: another working tree', async () => {
    const rig = gitRig();
    mkdirSync(join(rig.above, 'beside'));
    writeFileSync(join(rig.above, 'beside', 'a.txt'), 'OUTSIDE\n');
    rig.repo.git('config', 'core.worktree', join(rig.above, 'beside'));
    expect(await readAll(rig)).not.toContain('OUTSIDE');
  });
});

const OUTSIDE: readonly (readonly [name: string, plant: (rig: GitRig) => void])[] = [
  [
    'a .git file that points elsewhere',
    (rig) => {
      rmSync(join(rig.root, '.git'), { recursive: true });
      writeFileSync(join(rig.root, '.git'), `gitdir: ${join(beside(rig).root, '.git')}\n`);
    },
  ],
  [
    'a .git that is a link',
    (rig) => {
      rmSync(join(rig.root, '.git'), { recursive: true });
      symlinkSync(join(beside(rig).root, '.git'), join(rig.root, '.git'));
    },
  ],
  [
    'a working tree of a repository elsewhere',
    (rig) => {
      beside(rig).git('worktree', 'add', '-q', join(rig.root, 'tree'));
      rmSync(join(rig.root, '.git'), { recursive: true });
      renameSync(join(rig.root, 'tree', '.git'), join(rig.root, '.git'));
    },
  ],
  [
    'a commondir',
    (rig) => writeFileSync(join(rig.root, '.git', 'commondir'), join(beside(rig).root, '.git')),
  ],
  [
    'alternates',
    (rig) => {
      const objects = join(beside(rig).root, '.git', 'objects');
      writeFileSync(join(rig.root, '.git', 'objects', 'info', 'alternates'), `${objects}\n`);
    },
  ],
  ...['objects', 'refs', 'index', 'HEAD', 'config'].map(
    (name) =>
      [
        `a link in place of ${name}`,
        (rig: GitRig) => {
          rmSync(join(rig.root, '.git', name), { recursive: true });
          symlinkSync(join(beside(rig).root, '.git', name), join(rig.root, '.git', name));
        },
      ] as const,
  ),
  [
    'a link in place of a part of the index',
    (rig) =>
      symlinkSync(
        join(beside(rig).root, '.git', 'index'),
        join(rig.root, '.git', `sharedindex.${'a'.repeat(40)}`),
      ),
  ],
  [
    'a link among the objects',
    (rig) => symlinkSync(join(beside(rig).root, '.git', 'objects'), join(rig.root, '.git', 'objects', 'ab')),
  ],
];

describe('a repository with parts elsewhere', () => {
  it.each(OUTSIDE)('is refused: %s', async (_, plant) => {
    const rig = gitRig();
    plant(rig);
    const { code, message } = await rig.refused({ what: 'show' });
    expect(code).toBe('repository_refused');
    expect(message).not.toContain('beside');
    expect(await readAll(rig).catch(String)).not.toContain('OUTSIDE');
  });

  it('is read if all of them are open', async () => {
    const { repo, read } = gitRig();
    repo.git('worktree', 'add', '-q', 'tree', '-b', 'other');
    repo.write({ 'tree/a.txt': 'in the other tree\n' });
    const { output, metadata } = await read({ what: 'diff', path: 'tree' });
    expect(metadata).toMatchObject({ repository: 'tree', branch: 'other', files: [{ path: 'tree/a.txt' }] });
    expect(output).toContain('+in the other tree');
  });
});
