import { objectionToPattern } from '../../../src/core/path-policy.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { GitFailed, git } from './git.ts';

/** A clone and its current commit. */
export interface Repo {
  readonly root: string;
  /** The folder of what belongs to this work tree alone, such as `HEAD`. */
  readonly gitDir: string;
  /** The folder of what all work trees share: branches and packed references. */
  readonly commonDir: string;
  readonly commit: string;
  readonly branch: string | null;
}

/** Nothing here can be mirrored. */
export class NotARepo extends CliError {
  override name = 'NotARepo';
}

const HEADS = 'refs/heads/';

/** Finds the repo that a folder belongs to, at its last commit. */
export async function repoAt(folder: string): Promise<Repo> {
  const places = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  let lines: string[];
  try {
    const asked = ['--path-format=absolute', ...places, 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'];
    lines = (await git(folder, ['rev-parse', ...asked])).toString().trimEnd().split('\n');
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const isRepo = !/not a git repository/i.test(error.message);
    throw new NotARepo(
      isRepo ? `${folder} cannot be mirrored: ${error.message}` : `${folder} is not in a git repository.`,
      isRepo
        ? 'Is there a commit yet? Only commits are mirrored.'
        : 'Name a clone with --root, or make one with `git init`.',
    );
  }
  const [root = '', gitDir = '', commonDir = '', commit = '', branch = ''] = lines;
  const name = branch.startsWith(HEADS) ? branch.slice(HEADS.length) : null;
  return { root, gitDir, commonDir, commit, branch: name };
}

/**
 * Gives the paths that this clone offers: all, unless `git config bowline.open` names fewer. That setting is not
 * cloned. It can only leave out some of what the gateway's owner opened.
 */
export async function offeredBy(root: string, given?: readonly string[]): Promise<readonly string[]> {
  const listed = await git(root, ['config', '--null', '--get-all', 'bowline.open']).catch(
    (error: unknown) => {
      // For git, a missing setting is an error.
      if (error instanceof GitFailed) return Buffer.alloc(0);
      throw error;
    },
  );
  const open = given ?? listed.toString().split('\0').filter(Boolean);
  for (const pattern of open) {
    const objection = objectionToPattern(pattern);
    if (objection === undefined) continue;
    throw new CliError(
      `${JSON.stringify(pattern)} cannot be opened: ${objection}.`,
      'Write a path, a folder followed by /**, or ** for the whole repo.',
      EXIT.usage,
    );
  }
  return open.length > 0 ? open : ['**'];
}
