import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type Disk, errnoOf } from './disk.ts';
import { identityOf, type Place } from './held.ts';
import type { OpenFile } from './open-file.ts';

/** One write in progress. */
export interface Writing {
  readonly bytes: Uint8Array;
  /** The name from `temporaryName`. It was stored durably before, so that a crash leaves nothing unknown behind. */
  readonly temporary: string;
  /** The new file's mode. If left out, the system's default. */
  readonly mode?: number;
  /** Cancels the write. A write that is cancelled before it is complete changes nothing. */
  readonly signal?: AbortSignal;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** The `code` of a write that found its file changed since it was read. */
export const CHANGED = 'BOWLINE_CHANGED';

/** Makes the name for a file that is still being written. Tools can neither write nor name it. */
export function temporaryName(): string {
  return `.bowline-${randomBytes(9).toString('hex')}.tmp`;
}

/** Makes a new file, whole or not at all. Throws `EEXIST` if one is there already. */
export async function writeNew(place: Place, writing: Writing, disk: Disk): Promise<void> {
  const prepare = (fd: number) => {
    if (writing.mode !== undefined) disk.setMode(fd, writing.mode);
  };
  await write(place, writing, writing.mode ?? 0o666, prepare, disk, () =>
    place.directory.use((here) => giveName(`${here}/${writing.temporary}`, `${here}/${place.name}`, disk)),
  );
}

/**
 * Puts new content in an open file's place, whole or not at all, with its mode and, where allowed, its owner. The file
 * must still hold `before`.
 */
export async function replaceContent(
  file: OpenFile,
  before: Uint8Array,
  writing: Writing,
  disk: Disk,
): Promise<void> {
  const { stats } = file;
  const prepare = (fd: number) => {
    keepOwner(fd, Number(stats.uid), Number(stats.gid), disk);
    disk.setMode(fd, writing.mode ?? Number(stats.mode) & 0o777);
  };
  await write(file, writing, 0o600, prepare, disk, () =>
    file.directory.use((here) => {
      checkUnchanged(file, before, `${here}/${file.name}`, disk);
      disk.rename(`${here}/${writing.temporary}`, `${here}/${file.name}`);
    }),
  );
}

/** Removes an open file, unless its name means another one by now. */
export async function removeFile(file: OpenFile, before: Uint8Array, disk: Disk): Promise<void> {
  file.directory.use((here) => {
    checkUnchanged(file, before, `${here}/${file.name}`, disk);
    disk.remove(`${here}/${file.name}`);
  });
  await syncDirectory(file, disk);
}

async function write(
  place: Place,
  { bytes, temporary, signal }: Writing,
  mode: number,
  prepare: (fd: number) => void,
  disk: Disk,
  commit: () => void,
): Promise<void> {
  const fd = place.directory.use((here) => disk.open(`${here}/${temporary}`, NEW, mode));
  try {
    try {
      await writeAll(fd, bytes, disk);
      prepare(fd);
      await disk.sync(fd);
    } finally {
      disk.close(fd);
    }
    signal?.throwIfAborted();
    commit();
  } catch (error) {
    removeTemporary(place, temporary, disk);
    throw error;
  }
  await syncDirectory(place, disk);
}

async function writeAll(fd: number, bytes: Uint8Array, disk: Disk): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const count = await disk.write(fd, bytes, at);
    if (count <= 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    at += count;
  }
}

/**
 * Gives the file its second name, then removes the first. Unlike a rename, this never replaces what somebody else made
 * meanwhile.
 */
function giveName(temporary: string, name: string, disk: Disk): void {
  try {
    disk.link(temporary, name);
  } catch (error) {
    if (!NO_LINKS.has(errnoOf(error) ?? '')) throw error;
    // On disks without links, such as a USB stick, first take the name with an empty file.
    disk.close(disk.open(name, NEW, 0o600));
    disk.rename(temporary, name);
    return;
  }
  disk.remove(temporary);
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function checkUnchanged(file: OpenFile, before: Uint8Array, path: string, disk: Disk): void {
  // Compare the content first: two writes within one tick of the disk's clock leave the same time.
  if (!stillHolds(file, before, disk)) throw changedMeanwhile();
  const now = disk.lstat(path);
  const { stats } = file;
  if (identityOf(now) === identityOf(stats) && now.mtimeNs === stats.mtimeNs) return;
  throw changedMeanwhile();
}

function changedMeanwhile(): Error {
  return Object.assign(new Error('The file changed since it was read'), { code: CHANGED });
}

function stillHolds({ fd }: OpenFile, before: Uint8Array, disk: Disk): boolean {
  const piece = Buffer.allocUnsafe(256 * 1024);
  let at = 0;
  for (;;) {
    const count = disk.readAtOnce(fd, piece, at);
    if (count === 0) return at === before.length;
    if (!piece.subarray(0, count).equals(before.subarray(at, at + count))) return false;
    at += count;
  }
}

function keepOwner(fd: number, uid: number, gid: number, disk: Disk): void {
  try {
    disk.setOwner(fd, uid, gid);
  } catch (error) {
    // Only root may give files away, so the file becomes ours, as with any editor that writes this way.
    if (errnoOf(error) !== 'EPERM' && errnoOf(error) !== 'ENOSYS') throw error;
  }
}

/** Removes what a failed write left. If that fails now, the next start does it. */
export function removeTemporary(place: Place, temporary: string, disk: Disk): void {
  try {
    place.directory.use((here) => disk.remove(`${here}/${temporary}`));
  } catch {
    // Report the failure that led here instead.
  }
}

/** Makes a rename survive a power cut. */
export async function syncDirectory({ directory }: Place, disk: Disk): Promise<void> {
  // Windows cannot sync a directory, and has no need to.
  if (process.platform !== 'win32') await disk.sync(directory.fd);
}

/** Tells whether anything has that name already, even a broken link. */
export function isThere({ directory, name }: Place, disk: Disk): boolean {
  try {
    directory.use((here) => disk.lstat(`${here}/${name}`));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
