import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT } from './up.ts';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });

/** Who commits here. */
export const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

/** A clone of the project as it stands here, committed or not, its packages installed by linking them. */
export function cloneProject(folder: string): string {
  const origin = join(folder, 'origin');
  const clone = join(folder, 'bowline');
  copyProject(origin);
  git(origin, 'init', '--quiet');
  git(origin, 'add', '--all');
  git(origin, ...AUTHOR, 'commit', '--quiet', '-m', 'all');
  git(folder, 'clone', '--quiet', origin, clone);
  rmSync(origin, { recursive: true });
  linkPackages(clone);
  return clone;
}

/** Copies what belongs to the project, committed or not. */
export function copyProject(folder: string): void {
  const listed = git(PROJECT, 'ls-files', '--cached', '--others', '--exclude-standard', '-z');
  for (const path of listed.split('\0').filter(Boolean)) {
    // What was deleted and not yet committed is in the list as well.
    if (!existsSync(join(PROJECT, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(PROJECT, path), join(folder, path));
  }
}

/** Links all packages but the workspace's own, which has to be the clone's. */
export function linkPackages(clone: string): void {
  const packages = join(clone, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(PROJECT, 'node_modules')))
    if (name !== 'bowline') symlinkSync(join(PROJECT, 'node_modules', name), join(packages, name));
  symlinkSync(join(clone, 'local-bridge'), join(packages, 'bowline'));
  const own = join(PROJECT, 'local-bridge', 'node_modules');
  if (existsSync(own)) symlinkSync(own, join(clone, 'local-bridge', 'node_modules'));
}
