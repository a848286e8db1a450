import type { Root } from '../workspace/held.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';
import { firstPaths } from './first-paths.ts';
import { lookAgain } from './found-files.ts';
import type { Glob } from './glob.ts';
import { liesTooDeep, listFiles, openness } from './list-files.ts';
import type { SearchEnd } from './ripgrep.ts';
import type { WarmLists } from './warm-lists.ts';

interface FileQuery {
  readonly root: Root;
  /** The folder to search. The pattern matches paths from here. */
  readonly folder: Folder;
  readonly glob: Glob;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface FoundPaths {
  /** Paths from the root, in order. */
  readonly paths: readonly string[];
  readonly total: number;
  readonly end: SearchEnd;
  /** True if files match that lie too deep to be shown. */
  readonly isCutByDepth: boolean;
}

/** Finds files below a folder whose path matches and may be read. */
export async function findFiles(
  query: FileQuery,
  workspace: Workspace,
  warm?: WarmLists,
): Promise<FoundPaths> {
  const { root, folder, glob, limit, timeoutMs, signal } = query;
  // A folder may be ignored from the root's point of view, but a search that names it still searches it.
  const isWhole = folder.relative === '.';
  const list = isWhole ? warm?.current(root) : undefined;
  if (list) return inList(list.paths, glob, limit);
  const started = performance.now();
  const found = firstPaths(limit);
  const isOpen = openness(root, workspace);
  const prefix = isWhole ? '' : `${folder.relative}/`;
  let isCutByDepth = false;
  const end = await listFiles({ folder, names: glob.names, timeoutMs, signal }, (path) => {
    if (glob.matches(path) && isOpen(prefix + path)) {
      if (liesTooDeep(path)) isCutByDepth = true;
      else found.add(prefix + path);
    }
    return 'more';
  });
  const again = lookAgain(root, workspace);
  try {
    const paths = found.first();
    const seen = paths.filter((path) => workspace.isOpen(root, path, 'read') && again.isFile(path));
    if (isWhole && end.how === 'done') warm?.searched(root, performance.now() - started);
    return { paths: seen, total: found.count - (paths.length - seen.length), end, isCutByDepth };
  } finally {
    again.close();
  }
}

/** Finds the same files in a list that was just proved current, so nothing in it can have become a link. */
function inList(all: readonly string[], glob: Glob, limit: number): FoundPaths {
  const paths: string[] = [];
  let total = 0;
  for (const path of all) {
    if (!glob.matches(path)) continue;
    total += 1;
    if (paths.length < limit) paths.push(path);
  }
  return { paths, total, end: { how: 'done', incomplete: false }, isCutByDepth: false };
}
