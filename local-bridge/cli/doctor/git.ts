import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Counts the commits that this folder's repo is ahead; `undefined` if it does not know the commit, or is no repo. */
export async function commitsSince(commit: string, folder = process.cwd()): Promise<number | undefined> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  try {
    const { stdout } = await run('git', ['rev-list', '--count', `${commit}..HEAD`], { cwd: folder });
    return Number(stdout.trim());
  } catch {
    // No git, no repo, or another repo: there is nothing to compare.
    return undefined;
  }
}
