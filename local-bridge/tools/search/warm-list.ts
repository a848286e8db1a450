import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NEVER_SEARCHED } from './ripgrep.ts';

/**
 * The files below a root, remembered with a proof that they are still the same: every folder's identity and change
 * time, and every ignore file's text. A name can appear in a folder or leave it only by changing that folder, and
 * nobody can set a change time. So a list is current if all its folders look as before. A list with any difference is
 * dropped.
 */
export interface WarmList {
  /** Paths from the root, in order. */
  readonly paths: readonly string[];
  /** Checks every folder again, which takes about 2 µs per folder. */
  isCurrent(): boolean;
}

/** Filesystems whose change times follow this kernel's clock: ext4, xfs, btrfs, tmpfs, overlayfs, f2fs. */
const TRUSTED = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010]);
/** The age from which a change counts as proof. After a younger one, another change could leave the same time. */
export const QUIET_MS = 3_000;
const MAX_FOLDERS = 20_000;
const MAX_IGNORE_FILES = 200;
const MAX_IGNORE_BYTES = 1024 * 1024;
const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore'];

interface Seen {
  readonly path: string;
  readonly ino: number;
  readonly dev: number;
  /** The change time in milliseconds. That is precise enough, because a change that counts comes seconds later. */
  readonly ctimeMs: number;
}

/** A time by the system's clock and by a steady one. The two disagree after somebody set the system's clock. */
export interface Moment {
  readonly wall: number;
  isConsistent(): boolean;
}

export function momentNow(): Moment {
  const wall = Date.now();
  const steady = performance.now();
  return {
    wall,
    isConsistent: () => Math.abs(Date.now() - wall - (performance.now() - steady)) < QUIET_MS / 2,
  };
}

/**
 * Makes a list from a search that began at `startedAt`. Gives nothing if nobody could prove the list later: something
 * changed just before, the disk is of an unknown kind, or the tree is too large.
 */
export async function warmList(
  root: string,
  paths: readonly string[],
  startedAt: Moment,
): Promise<WarmList | undefined> {
  if (process.platform !== 'linux') return undefined;
  const walked = await walk(root);
  if (!walked) return undefined;
  const latest = startedAt.wall - QUIET_MS;
  const devices = new Set<number>();
  const seen: Seen[] = [];
  for (const path of walked.folders) {
    const now = look(path);
    if (!now || now.ctimeMs > latest) return undefined;
    if (!devices.has(now.dev) && !TRUSTED.has((await statfs(path)).type)) return undefined;
    devices.add(now.dev);
    seen.push(now);
  }
  // What lies above the root matters too: ignore files, and the root folder of a repository.
  const above = ancestors(root);
  const ignoring = [
    ...walked.ignoring,
    ...above.flatMap((path) => IGNORE_FILES.map((name) => join(path, name))),
  ];
  const texts: { path: string; text: string | undefined }[] = [];
  for (const path of ignoring) {
    const file = ignoreFile(path);
    if (file === 'odd' || (file && file.ctimeMs > latest)) return undefined;
    texts.push({ path, text: file?.text });
  }
  const isSame = ({ path, text }: (typeof texts)[number]) => {
    const file = ignoreFile(path);
    return file !== 'odd' && file?.text === text;
  };
  const gits = repositories(above);
  // If somebody set the clock back meanwhile, a late change looks like an early one.
  if (!startedAt.isConsistent()) return undefined;
  return {
    paths,
    isCurrent: () => seen.every(isUnchanged) && texts.every(isSame) && repositories(above) === gits,
  };
}

/** Lists every folder, ignored ones too. Only ripgrep knows which are ignored, and that may change. */
async function walk(root: string): Promise<{ folders: string[]; ignoring: string[] } | undefined> {
  const folders = [root];
  const ignoring: string[] = [];
  for (const path of folders) {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isDirectory() && !NEVER_SEARCHED.includes(entry.name)) folders.push(join(path, entry.name));
      if (IGNORE_FILES.includes(entry.name)) ignoring.push(join(path, entry.name));
    }
    if (folders.length > MAX_FOLDERS || ignoring.length > MAX_IGNORE_FILES) return undefined;
  }
  return { folders, ignoring };
}

function look(path: string): Seen | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return undefined;
  const { ino, dev, ctimeMs } = stat;
  return { path, ino, dev, ctimeMs };
}

function isUnchanged({ path, ino, dev, ctimeMs }: Seen): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now !== undefined && now.ctimeMs === ctimeMs && now.ino === ino && now.dev === dev;
}

/**
 * Reads an ignore file's text. Gives nothing if there is none, and `odd` if it could block us or is not a plain file.
 */
function ignoreFile(path: string): { readonly text: string; readonly ctimeMs: number } | 'odd' | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // It is a link, unreadable, or gone by now, so trust nothing remembered.
    return 'odd';
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_IGNORE_BYTES) return 'odd';
    return { text: readFileSync(fd, 'latin1'), ctimeMs: stat.ctimeMs };
  } finally {
    closeSync(fd);
  }
}

function ancestors(root: string): string[] {
  const all: string[] = [];
  for (let path = dirname(root); ; path = dirname(path)) {
    all.push(path);
    if (path === dirname(path)) return all;
  }
}

function repositories(folders: readonly string[]): string {
  return folders.map((path) => (lstatSync(join(path, '.git'), { throwIfNoEntry: false }) ? 1 : 0)).join('');
}
