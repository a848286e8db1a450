import type { Root } from '../workspace/held.ts';
import type { Folder, Workspace } from '../workspace/workspace.ts';
import { ripgrep, type SearchEnd } from './ripgrep.ts';

export interface Listing {
  readonly folder: Folder;
  /** Patterns of names, of which each file must fit one; all files if left out. */
  readonly names: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The deepest level of folders whose files are shown. */
export const MAX_DEPTH = 20;
/** The deepest level to look through, to learn whether files lie deeper than is shown. */
const LOOKED_DEPTH = 64;
/** The longest path: longer than any system allows. */
const MAX_PATH_BYTES = 64 * 1024;
const NUL = 0;

/**
 * Gives every file below a folder that is not ignored, by its path from there, in ripgrep's order. Some may lie deeper
 * than is shown (`liesTooDeep`).
 */
export function listFiles(
  { folder, names, timeoutMs, signal }: Listing,
  onPath: (path: string) => 'more' | 'stop',
): Promise<SearchEnd> {
  let pending: Buffer = Buffer.alloc(0);
  return ripgrep({
    folder,
    args: ['--files', '--null', `--max-depth=${LOOKED_DEPTH}`, ...onlyNames(names), './'],
    timeoutMs,
    signal,
    onOutput: (chunk) => {
      const data = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const last = data.lastIndexOf(NUL);
      pending = data.subarray(last + 1);
      if (pending.length > MAX_PATH_BYTES) throw new Error('ripgrep printed a path without an end');
      if (last < 0) return 'more';
      // Each path begins with the `./` of the request.
      return data
        .toString('utf8', 0, last)
        .split('\0')
        .some((printed) => onPath(printed.slice(2)) === 'stop')
        ? 'stop'
        : 'more';
    },
  });
}

/** Tells whether a path leads deeper below the searched folder than files are shown. */
export function liesTooDeep(path: string): boolean {
  let slashes = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) slashes += 1;
  return slashes >= MAX_DEPTH;
}

/**
 * Makes ripgrep itself skip files with other names. It uses ripgrep's types, because a glob on the command line would
 * override ignore files.
 */
export function onlyNames(names: readonly string[] | undefined): string[] {
  if (names === undefined) return [];
  return [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted'];
}

/**
 * Makes a test whether a path may be read. For speed, it checks each folder once, and of a file only its name and its
 * folder's. What is shown is checked again in full.
 */
export function openness(root: Root, workspace: Workspace): (path: string) => boolean {
  const folders = new Map<string, boolean>();
  const tails = new Map<string, boolean>();
  const remembered = (known: Map<string, boolean>, path: string) => {
    let isOpen = known.get(path);
    if (isOpen === undefined) {
      isOpen = workspace.isOpen(root, path, 'read');
      known.set(path, isOpen);
    }
    return isOpen;
  };
  return (path) => {
    const slash = path.lastIndexOf('/');
    if (slash === -1) return remembered(tails, path);
    const above = path.lastIndexOf('/', slash - 1);
    return remembered(folders, path.slice(0, slash)) && remembered(tails, path.slice(above + 1));
  };
}
