import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { holdsAutorun } from '../workspace/closed-names.ts';
import { nodeDisk } from '../workspace/disk.ts';
import type { Held } from '../workspace/held.ts';
import { isRefusal } from '../workspace/refusal.ts';
import { howToHold } from '../workspace/roots.ts';
import { walk } from '../workspace/walk.ts';
import { type Autorun, isGenerated, type Survey } from './autorun-survey.ts';
import { isHarmlessGitConfig } from './git-settings.ts';

/**
 * A file or folder that a command made or changed and that other programs run or obey by themselves, and its fate.
 */
export interface Planted {
  /** The path from the open folder, with `/`. */
  readonly path: string;
  readonly outcome: 'moved_aside' | 'left' | 'changed' | 'removed';
  /** The place where it is now. */
  readonly movedTo?: string;
}

/** Things that a command left and that its owner should know about. */
export interface Findings {
  readonly planted: readonly Planted[];
  /** Folders that could be read before the command, or did not exist, and cannot be read now. */
  readonly unseen: readonly string[];
}

interface SettlePlace {
  readonly home: string;
  readonly roots: readonly string[];
  /** The time when the first survey began. */
  readonly since: number;
}

/**
 * Compares the surveys before and after a command. Moves a thing aside that appeared in an old folder, because
 * programs trust that folder already. In a folder that the command made (a clone, a package) the thing stays and is
 * reported, unless git would run it without asking.
 */
export function settleAutorun(before: Survey, after: Survey, place: SettlePlace): Findings {
  const planted: Planted[] = [];
  const aside = join(
    place.home,
    'set-aside',
    `${new Date(place.since).toISOString().slice(0, 10)}-${randomBytes(6).toString('hex')}`,
  );
  for (const [absolute, thing] of after.found) {
    const earlier = before.found.get(absolute);
    if (earlier && !(earlier.isLink && earlier.print !== thing.print)) {
      if (earlier.print !== thing.print && !isHarmless(absolute, thing, place.roots)) {
        planted.push({ path: thing.path, outcome: 'changed' });
      }
      continue;
    }
    // The new link or setting is handled itself, and did not make the thing that it leads to.
    const because = thing.becauseOf;
    if (because && before.found.get(because)?.print !== after.found.get(because)?.print) continue;
    if (isHarmless(absolute, thing, place.roots) || wasUnseen(absolute, before, place.since)) continue;
    const stays =
      thing.kind === 'name' && (isGenerated(thing.path) || !before.folders.has(usedFrom(absolute)));
    const movedTo = stays ? undefined : tries(() => moveAside(thing, join(aside, basename(thing.root))));
    planted.push({
      path: thing.path,
      ...(movedTo ? { outcome: 'moved_aside', movedTo } : { outcome: 'left' }),
    });
  }
  for (const [absolute, { path }] of before.found) {
    // If the whole folder is gone, nothing became less safe.
    if (after.found.has(absolute) || !after.folders.has(dirname(absolute)) || exists(absolute)) continue;
    planted.push({ path, outcome: 'removed' });
  }
  const known = new Set(before.unseen);
  return { planted, unseen: after.unseen.filter((folder) => !known.has(folder)) };
}

/** Gives the folder from which programs use a thing: for things in `.claude`, the folder above `.claude`. */
function usedFrom(absolute: string): string {
  let folder = dirname(absolute);
  while (holdsAutorun(basename(folder))) folder = dirname(folder);
  return folder;
}

/** Tells whether a thing may have been there all along, in a folder that nobody could read. */
function wasUnseen(absolute: string, before: Survey, since: number): boolean {
  if (before.unseen.length === 0 || before.folders.has(dirname(absolute))) return false;
  try {
    return lstatSync(absolute).ctimeMs < since;
  } catch {
    return true;
  }
}

/** Recognises git's own files as `git init` and `git clone` write them. */
function isHarmless(absolute: string, { kind }: Autorun, roots: readonly string[]): boolean {
  if (kind !== 'git') return false;
  try {
    const stat = lstatSync(absolute);
    if (!stat.isFile() || stat.size > 1_000_000) return false;
    const text = readFileSync(absolute, 'utf8');
    const name = basename(absolute).toLowerCase();
    if (name === 'config' || name === 'config.worktree') return isHarmlessGitConfig(text);
    // Both files name another folder of git's, which the survey covers if it is in an open folder.
    const target = name === 'commondir' ? text : /^gitdir: (.+)$/m.exec(text)?.[1];
    if (target === undefined || (name !== 'commondir' && name !== '.git')) return false;
    const real = realpathSync(resolve(dirname(absolute), target.trim()));
    return roots.some((root) => real.startsWith(`${root}/`));
  } catch {
    return false;
  }
}

/** Moves a thing out of the open folder, or gives it a harmless name there. Undefined if neither worked. */
function moveAside({ root, path }: Autorun, aside: string): string | undefined {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const ground = tries(() => howToHold()(root, nodeDisk));
  if (!ground) return undefined;
  // Go name by name from a handle, so that a running command cannot make us move something else.
  const folder = walk({ path: root, held: ground }, names, nodeDisk);
  try {
    if (isRefusal(folder)) return undefined;
    const target = join(aside, path);
    const rename = (to: (here: string) => string) =>
      isDone(() => folder.use((here) => renameSync(`${here}/${name}`, to(here))));
    const made = isDone(() => mkdirSync(dirname(target), { recursive: true, mode: 0o700 }));
    if (made && rename(() => target)) return target;
    const harmless = `.bowline-set-aside-${randomBytes(6).toString('hex')}`;
    const inPlace = () => rename((here) => `${here}/${harmless}`);
    const done = inPlace() || withWritePermission(folder, inPlace);
    return done ? join(root, posix.dirname(path), harmless) : undefined;
  } finally {
    if (!isRefusal(folder)) folder.close();
    ground.close();
  }
}

function withWritePermission(folder: Held, work: () => boolean): boolean {
  const mode = Number(nodeDisk.fstat(folder.fd).mode & 0o7777n);
  if (!isDone(() => nodeDisk.setMode(folder.fd, mode | 0o700))) return false;
  try {
    return work();
  } finally {
    nodeDisk.setMode(folder.fd, mode);
  }
}

function isDone(work: () => void): boolean {
  return (
    tries(() => {
      work();
      return true;
    }) === true
  );
}

function tries<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  return isDone(() => lstatSync(path));
}
