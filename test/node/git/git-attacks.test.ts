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
import { beside, type GitRig, gitRig, readAll } from './rig.ts';

/** Every setting by which a repository can name a program for one of the commands that git_read runs. */
const PROGRAMS: readonly (readonly [name: string, plant: (rig: GitRig) => void])[] = [
  ['core.fsmonitor', ({ repo, program }) => repo.git('config', 'core.fsmonitor', program)],
  [
    'core.hooksPath',
    ({ repo, above, program }) => {
      mkdirSync(join(above, 'hooks'));
      for (const name of ['post-index-change', 'reference-transaction'])
        symlinkSync(program, join(above, 'hooks', name));
      repo.git('config', 'core.hooksPath', join(above, 'hooks'));
    },
  ],
  ['diff.external', ({ repo, program }) => repo.git('config', 'diff.external', program)],
  [
    'a diff driver and textconv',
    ({ repo, program }) => {
      repo.git('config', 'diff.x.textconv', program);
      repo.git('config', 'diff.x.command', program);
      repo.write({ '.gitattributes': '* diff=x\n' });
    },
  ],
  [
    'a filter',
    ({ repo, program }) => {
      for (const key of ['clean', 'smudge', 'process']) repo.git('config', `filter.x.${key}`, program);
      repo.write({ '.gitattributes': '* filter=x\n' });
    },
  ],
  ['core.pager', ({ repo, program }) => repo.git('config', 'core.pager', program)],
  ['pager.log', ({ repo, program }) => repo.git('config', 'pager.log', program)],
  [
    'aliases',
    ({ repo, program }) => {
      for (const name of ['status', 'log', 'diff-index', 'rev-parse'])
        repo.git('config', `alias.${name}`, `!${program}`);
    },
  ],
  [
    'gpg.program',
    ({ repo, program }) => {
      repo.git('config', 'gpg.program', program);
      repo.git('config', 'log.showSignature', 'true');
      const tree = repo.git('rev-parse', 'HEAD^{tree}');
      const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n';
      const who = 'Ada <ada@example.com> 1767950000 +0000';
      writeFileSync(
        join(repo.root, '.git', 'signed'),
        `tree ${tree}\nauthor ${who}\ncommitter ${who}\n${signature}\nsigned\n`,
      );
      repo.git('reset', '-q', '--soft', repo.git('hash-object', '-t', 'commit', '-w', '.git/signed'));
    },
  ],
  [
    'an included file of settings',
    ({ repo, program, above }) => {
      writeFileSync(
        join(above, 'more'),
        `[core]\n\tfsmonitor = ${program}\n[diff]\n\texternal = ${program}\n`,
      );
      repo.git('config', 'include.path', join(above, 'more'));
      repo.git('config', 'includeIf.gitdir:/.path', join(above, 'more'));
    },
  ],
  [
    'a promise to fetch what is missing',
    ({ repo, program }) => {
      repo.git('config', 'extensions.partialClone', 'origin');
      repo.git('config', 'core.repositoryFormatVersion', '1');
      repo.git('config', 'remote.origin.promisor', 'true');
      repo.git('config', 'remote.origin.url', `ext::${program}`);
      repo.git('config', 'protocol.ext.allow', 'always');
      repo.git('config', 'core.sshCommand', program);
      repo.git('config', 'credential.helper', `!${program}`);
      const blob = repo.git('rev-parse', 'HEAD:a.txt');
      rmSync(join(repo.root, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    },
  ],
  [
    'a submodule',
    ({ repo, program }) => {
      repo.git('clone', '-q', '--no-hardlinks', '.', 'sub');
      repo.git('-C', 'sub', 'config', 'core.fsmonitor', program);
      repo.git('-c', 'protocol.file.allow=always', 'add', 'sub');
      repo.write({
        '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tupdate = !${program}\n`,
      });
      repo.commit();
      repo.git('config', 'status.submoduleSummary', 'true');
      repo.git('config', 'diff.submodule', 'diff');
      repo.write({ 'sub/a.txt': 'changed\n' });
    },
  ],
];

describe('what a hostile repository names', () => {
  it.each(PROGRAMS)('is not run: %s', async (_, plant) => {
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
