import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const isForBrowsers = (path: string) => /\.(?:browser\.ts|css)$/.test(path);

/**
 * Lists the files that changed since the last commit. Adds the modules that import the text of a script or a style sheet
 * for browsers that is made of one of them: Vitest finds the tests of a module, and does not see what such a text is
 * made of.
 */
export function changedFiles(folder: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  const sources = globSync('src/**/*.{ts,tsx,css}', { cwd: folder }).map((path) => ({
    path,
    text: readFileSync(join(folder, path), 'utf8'),
  }));
  const changed = new Set([
    ...git('diff', '--name-only', '--no-renames', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]);
  // This also visits what is added meanwhile.
  for (const file of changed) {
    for (const { path, text } of sources) {
      if ((isForBrowsers(file) || isForBrowsers(path)) && text.includes(`/${basename(file)}`))
        changed.add(path);
    }
  }
  return [...changed];
}
