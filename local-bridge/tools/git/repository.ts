import { isAbsolute, posix, relative, resolve } from 'node:path';
import { type Disk, errnoOf } from '../workspace/disk.ts';
import type { Root } from '../workspace/held.ts';
import { readUpTo } from '../workspace/read-content.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';

/** The means for reading a repository. */
export interface GitPorts {
  readonly workspace: Pick<Workspace, 'roots' | 'folder' | 'file' | 'isOpen'>;
  readonly disk: Disk;
  /** Bowline's own folder. No tool or command can change the settings that git gets from there. */
  readonly home: string;
}

/** The reason why git cannot read here, by the codes of `git_read`. */
export interface GitProblem {
  readonly problem: 'not_a_repository' | 'repository_refused' | 'git_failed' | 'git_missing' | 'unknown_ref';
  readonly why: string;
}

export function isProblem(value: object | string): value is GitProblem {
  return typeof value === 'object' && 'problem' in value;
}

/** A repository whose parts were all found inside the open folders, held open. */
export interface FoundRepository {
  /** Its working tree. */
  readonly tree: Folder;
  /** The folder of this working tree alone, with HEAD and the index. */
  readonly own: Folder;
  /** The folder that all its working trees share, with objects, branches and settings. */
  readonly shared: Folder;
  close(): void;
}

/** Finds the repository around a path: the nearest folder with a `.git`, not above the open folder. */
export async function findRepository(
  root: Root,
  path: string,
  ports: GitPorts,
): Promise<FoundRepository | GitProblem | WorkspaceRefusal> {
  for (let at = path; ; at = posix.dirname(at)) {
    const tree = ports.workspace.folder(root, at);
    if (isRefusal(tree)) {
      // Go on if the path is a file, or exists only in an earlier commit.
      if (at === '.' || !['not_found', 'not_a_file', 'not_a_directory'].includes(tree.code)) return tree;
      continue;
    }
    const found = await repositoryIn(tree, ports);
    if (found !== undefined) {
      if (isProblem(found)) tree.close();
      return found;
    }
    tree.close();
    if (at === '.')
      return {
        problem: 'not_a_repository',
        why: 'There is no git repository around this path, within the open folder.',
      };
  }
}

async function repositoryIn(
  tree: Folder,
  ports: GitPorts,
): Promise<FoundRepository | GitProblem | undefined> {
  const { root } = tree;
  const name = below(tree.relative, '.git');
  const kind = kindOf(tree, '.git', ports.disk);
  if (kind === undefined) return undefined;
  const own = kind === 'folder' ? ports.workspace.folder(root, name) : await linkedFolder(tree, ports);
  if (isRefusal(own)) return refused(own.message);
  if (isProblem(own)) return own;
  const common = await textOf(own, 'commondir', ports);
  const shared = common === undefined ? own : folderAt(resolve(own.path, common), ports);
  if (isProblem(shared)) {
    own.close();
    return shared;
  }
  const close = () => {
    if (shared !== own) shared.close();
    own.close();
    tree.close();
  };
  return { tree, own, shared, close };
}

/** Follows a `.git` file, which names the repository's folder. */
async function linkedFolder(tree: Folder, ports: GitPorts): Promise<Folder | GitProblem> {
  const text = await textOf(tree, '.git', ports);
  const [, target] = /^gitdir: (.+)$/.exec(text ?? '') ?? [];
  if (target === undefined) return refused('Its `.git` is a link, or not a file that git writes.');
  return folderAt(resolve(tree.path, target), ports);
}

/** Opens a folder that a repository's file names, if it lies in an open folder. */
function folderAt(path: string, { workspace }: GitPorts): Folder | GitProblem {
  for (const root of workspace.roots) {
    const inside = relative(root.path, path);
    if (isAbsolute(inside) || inside.split(/[/\\]/).includes('..')) continue;
    const folder = workspace.folder(root, inside === '' ? '.' : inside.replaceAll('\\', '/'));
    return isRefusal(folder) ? refused(folder.message) : folder;
  }
  return refused('Its `.git` leads to a folder that is not open.');
}

/** Reads a short file of git's, without the line end. */
export async function textOf(
  folder: Folder,
  name: string,
  { workspace, disk }: GitPorts,
): Promise<string | undefined> {
  const file = workspace.file(folder.root, below(folder.relative, name), 'read');
  if (isRefusal(file)) return undefined;
  try {
    return (await readUpTo(file, 4_096, disk)).toString('utf8').replace(/\r?\n$/, '');
  } finally {
    file.close();
  }
}

/** Gives the kind of the entry with this name in a folder. */
export function kindOf(
  folder: Pick<Folder, 'use'>,
  name: string,
  disk: Disk,
): 'file' | 'folder' | 'other' | undefined {
  try {
    const stat = folder.use((here) => disk.lstat(`${here}/${name}`));
    return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function refused(why: string): GitProblem {
  return { problem: 'repository_refused', why };
}

/** Joins paths from an open folder, where `.` is the folder itself. */
export function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}
