import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { holdsAutorun, REPOSITORY_SETTINGS, runsByItself } from '../workspace/closed-names.ts';
import { errnoOf } from '../workspace/disk.ts';
import { folded } from '../workspace/path-rules.ts';
import { GIT_SETTINGS, gitPathsIn, isGitFolder } from './git-settings.ts';

/** Something in an open folder that another program runs or obeys by itself. */
export interface Autorun {
  readonly root: string;
  /** The path from the root, with `/`. */
  readonly path: string;
  /**
   * The reason why it counts: its name, or the repository that it belongs to. A repository's settings and hooks are
   * compared by content.
   */
  readonly kind: 'name' | 'git' | 'repository';
  /** A text that differs if the thing was changed. */
  readonly print: string;
  /** True for a link. Nothing can prevent that somebody replaces a link: holding it would hold its target. */
  readonly isLink: boolean;
  /** For a plain file or folder: the link or git setting, by absolute path, that makes programs obey it. */
  readonly becauseOf?: string;
}

/** All such things in the open folders. */
export interface Survey {
  /** The things by absolute path. */
  readonly found: ReadonlyMap<string, Autorun>;
  /** Every folder that was read. */
  readonly folders: ReadonlySet<string>;
  /** Paths that a command must not be able to change. */
  readonly hold: readonly string[];
  /** Folders that were not read, because they are unreadable or there are too many. */
  readonly unseen: readonly string[];
}

/** The most folders to survey. A tree of 30,000 folders takes about a second. */
export const MAX_FOLDERS = 30_000;
/** The most things to hold, because a sandbox takes a limited number of arguments. Others are still compared. */
const MAX_HELD = 400;
const MAX_PRINTED = 2_000;
const AT_ONCE = 32;
/** The deepest nesting of included files, as in git. */
const MAX_INCLUDED = 10;
const LINK = 'link ';

/** Packages bring whole repositories into these folders, and replace them. */
export const isGenerated = (path: string) => path.split('/').includes('node_modules');

/** Finds everything in the open folders that another program runs or obeys by itself, nearest first. */
export async function surveyAutorun(
  roots: readonly string[],
  closed: readonly string[],
  maxFolders = MAX_FOLDERS,
): Promise<Survey> {
  const found = new Map<string, Autorun>();
  const folders = new Set<string>();
  const hold = new Set<string>();
  const unseen: string[] = [];
  const skipped = new Set(closed);
  let wave: Place[] = roots.map((root) => ({ root, path: '', absolute: root }));
  // Survey these last, so that thousands of folders in one place do not hide what is elsewhere.
  let last: Place[] = [];
  const add = async (place: Place, kind: Autorun['kind'], because: Pick<Autorun, 'becauseOf'> = {}) => {
    const { root, path, absolute } = place;
    const print = await printOf(absolute);
    if (print === undefined) return;
    const isLink = print.startsWith(LINK);
    if (!found.has(absolute)) found.set(absolute, { root, path, kind, print, isLink, ...because });
    if (!isLink && !isGenerated(path)) hold.add(absolute);
  };
  const holdAlso = async ({ absolute }: Place, target: string) => {
    const real = await realpath(target).catch(() => undefined);
    const root = roots.find((one) => real?.startsWith(`${one}/`));
    if (real === undefined || root === undefined) return;
    await add({ root, path: real.slice(root.length + 1), absolute: real }, 'name', { becauseOf: absolute });
  };

  const look = async (here: Place): Promise<void> => {
    let entries: Dirent[];
    try {
      entries = await readdir(here.absolute, { withFileTypes: true });
    } catch (error) {
      // Node replaces the bytes of a name that is not UTF-8, so such a folder cannot be opened by it.
      const isGone = ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '') && !here.path.includes('\ufffd');
      if (!isGone) unseen.push(here.absolute);
      return;
    }
    folders.add(here.absolute);
    const isDotGit = folded(nameOf(here.path)) === '.git';
    const isGit = isDotGit || isGitFolder(new Set(entries.map(({ name }) => folded(name))));
    for (const entry of entries) {
      const place = inside(here, entry.name);
      const name = folded(entry.name);
      // File tools give such names to files that they are writing.
      if (skipped.has(place.absolute) || name.startsWith('.bowline-')) continue;
      if (isGit && GIT_SETTINGS.has(name)) {
        await add(place, 'git');
        await holdNamed(here, place, place.absolute);
      } else if (isGit && name === 'hooks') await lookAtHooks(place, entry);
      else if (isDotGit && name !== 'modules' && name !== 'worktrees') continue;
      else if (!entry.isDirectory()) {
        const isRepository = name === '.git' || REPOSITORY_SETTINGS.has(name);
        const isLinkedFolder = entry.isSymbolicLink() && holdsAutorun(name);
        if (!isRepository && !isLinkedFolder && !runsByItself(name, nameOf(here.path))) continue;
        await add(place, name === '.git' ? 'git' : 'name');
        if (entry.isSymbolicLink()) await holdAlso(place, place.absolute);
      } else if (REPOSITORY_SETTINGS.has(name)) {
        for (const inner of REPOSITORY_SETTINGS.get(name) ?? [])
          await add(inside(place, inner), 'repository');
      } else if (name !== '.git' && runsByItself(name, nameOf(here.path))) await add(place, 'name');
      else (isGenerated(place.path) ? last : wave).push(place);
    }
  };
  const lookAtHooks = async (place: Place, entry: Dirent) => {
    if (!entry.isDirectory()) return add(place, 'git');
    if (!isGenerated(place.path)) hold.add(place.absolute);
    folders.add(place.absolute);
    for (const name of await readdir(place.absolute).catch(() => [])) {
      if (!name.endsWith('.sample')) await add(inside(place, name), 'git');
    }
  };
  /**
   * Holds the paths in git's settings: folders of hooks, which git runs, and more settings files, which git obeys.
   */
  const holdNamed = async (here: Place, config: Place, file: string, depth = 0): Promise<void> => {
    const { hooks, included } = gitPathsIn(await readFile(file, 'utf8').catch(() => ''));
    const worktree = folded(nameOf(here.path)) === '.git' ? resolve(here.absolute, '..') : here.absolute;
    for (const path of hooks) await holdAlso(config, from(worktree, path));
    if (depth === MAX_INCLUDED) return;
    for (const path of included) {
      const target = from(dirname(file), path);
      await holdAlso(config, target);
      await holdNamed(here, config, target, depth + 1);
    }
  };

  while (wave.length > 0) {
    const now = wave;
    wave = [];
    for (let i = 0; i < now.length; i += AT_ONCE) {
      const some = now.slice(i, i + AT_ONCE);
      if (folders.size >= maxFolders) unseen.push(...some.map(({ absolute }) => absolute));
      else await Promise.all(some.map(look));
    }
    if (wave.length === 0) [wave, last] = [last, []];
  }
  return { found, folders, hold: [...hold].slice(0, MAX_HELD), unseen };
}

interface Place {
  readonly root: string;
  readonly path: string;
  readonly absolute: string;
}

function inside({ root, path, absolute }: Place, name: string): Place {
  return { root, path: path === '' ? name : `${path}/${name}`, absolute: `${absolute}/${name}` };
}

/** Reads a path in git's settings as git does. */
function from(folder: string, path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Makes a short text that changes when a file, or anything in a folder, changes. */
async function printOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  const left = [path];
  let kind = '';
  for (let seen = 0; left.length > 0 && seen < MAX_PRINTED; seen++) {
    const next = left.shift() ?? '';
    try {
      const stat = await lstat(next, { bigint: true });
      if (next === path && stat.isSymbolicLink()) kind = LINK;
      hash.update([next, stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join('\0'));
      if (stat.isDirectory()) left.push(...(await readdir(next)).sort().map((name) => `${next}/${name}`));
    } catch (error) {
      if (next === path && ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined;
      hash.update(`${next}\0${errnoOf(error)}`);
    }
  }
  return kind + hash.digest('base64url');
}
