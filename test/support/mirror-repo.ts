import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A clone of its own, for one test. */
export interface TestRepo {
  readonly root: string;
  git(...args: string[]): string;
  write(files: Readonly<Record<string, string | Buffer>>): void;
  /** Writes files and commits everything, at a time given in seconds. */
  commit(files?: Readonly<Record<string, string | Buffer>>, at?: number): string;
  remove(): void;
}

export function newRepo(...init: string[]): TestRepo {
  const root = mkdtempSync(join(tmpdir(), 'bowline-repo-'));
  return repoIn(root, ...init);
}

export function repoIn(root: string, ...init: string[]): TestRepo {
  let at = 1_767_950_000;
  const env = (time = at) => ({
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_DATE: `${time} +0000`,
    GIT_COMMITTER_DATE: `${time} +0000`,
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: root,
      env: env(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const write: TestRepo['write'] = (files) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  };
  git('init', '--quiet', '--initial-branch=main', ...init);
  return {
    root,
    git,
    write,
    commit: (files = {}, time) => {
      at = time ?? at + 60;
      write(files);
      git('add', '--all', '--force');
      git('commit', '--quiet', '--allow-empty', '--message', `at ${at}`);
      return git('rev-parse', 'HEAD');
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
