import { OPEN_BY_DEFAULT, objectionToPattern } from '../../src/core/path-policy.ts';
import { CliError, EXIT } from '../exit.ts';
import { GitFailed, git } from './git.ts';

/** A clone, and the commit it is at. */
export interface Repo {
  readonly root: string;
  /** What belongs to this work tree alone, `HEAD` among it. */
  readonly gitDir: string;
  /** What all work trees share: branches and packed references. */
  readonly commonDir: string;
  readonly commit: string;
  readonly branch: string | null;
}

/** There is nothing here that could be mirrored. */
export class NotARepo extends CliError {
  override name = 'NotARepo';
}

const HEADS = 'refs/heads/';

/** The repo that a folder belongs to, at its last commit. */
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
        ? 'Is there a commit yet? Only what is committed is mirrored.'
        : 'Name a clone with --root, or make one with `git init`.',
    );
  }
  const [root = '', gitDir = '', commonDir = '', commit = '', branch = ''] = lines;
  const name = branch.startsWith(HEADS) ? branch.slice(HEADS.length) : null;
  return { root, gitDir, commonDir, commit, branch: name };
}

/** What the owner of a clone set for it, in git's own settings, which no clone brings along. */
export interface MirrorSettings {
  readonly open: readonly string[];
  readonly allowedSecrets: readonly string[];
}

export async function settingsOf(root: string, given: Partial<MirrorSettings> = {}): Promise<MirrorSettings> {
  const listed = await git(root, [
    'config',
    '--null',
    '--get-regexp',
    '^bowline\\.(open|allowsecret)$',
  ]).catch((error: unknown) => {
    // Nothing set is an error to git.
    if (error instanceof GitFailed) return Buffer.alloc(0);
    throw error;
  });
  const set = listed
    .toString()
    .split('\0')
    .filter(Boolean)
    .map((line) => line.split('\n'));
  const all = (key: string) => set.filter(([name]) => name === key).map(([, value = '']) => value);
  const open = given.open ?? all('bowline.open');
  for (const pattern of open) {
    const objection = objectionToPattern(pattern);
    if (objection === undefined) continue;
    throw new CliError(
      `${JSON.stringify(pattern)} cannot be opened: ${objection}.`,
      'Write a path, a folder followed by /**, or ** for the whole repo.',
      EXIT.usage,
    );
  }
  return {
    open: open.length > 0 ? open : OPEN_BY_DEFAULT,
    allowedSecrets: [...(given.allowedSecrets ?? []), ...all('bowline.allowsecret')],
  };
}
