import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AT_LENGTH } from './at-length.ts';
import type { TestRepo } from './mirror-repo.ts';

interface Hostile {
  readonly repo: TestRepo;
  /** A folder outside of the repository. */
  readonly above: string;
  /** The program that must not run. */
  readonly program: string;
}

type Planted = readonly [name: string, plant: (rig: Hostile) => void];

/** Every setting by which a repository can name a program for one of the commands that Bowline runs. */
const PROGRAMS: readonly Planted[] = [
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

/** Those that keep others from being reached. */
const ALONE = new Set(['a filter', 'a promise to fetch what is missing', 'a submodule']);

/** A hostile repository for each such setting. In short, one has all those that go together: any that runs is noticed. */
export const HOSTILE: readonly Planted[] = AT_LENGTH ? PROGRAMS : [allOf(), ...PROGRAMS.filter(isAlone)];

function isAlone([name]: Planted): boolean {
  return ALONE.has(name);
}

function allOf(): Planted {
  const together = PROGRAMS.filter((program) => !isAlone(program));
  const plantAll = (rig: Hostile) => {
    for (const [, plant] of together) plant(rig);
  };
  return [together.map(([name]) => name).join(', '), plantAll];
}
