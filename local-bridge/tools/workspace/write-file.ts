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

/** New content that lies beside its file, complete and durable, but does not have the file's name yet. */
export interface Staged {
  /** Gives the content the file's name. On failure, removes what was staged. */
  commit(): Promise<void>;
  /** Removes the content, if it still has its temporary name. */
  drop(): void;
}

/** Makes a new file, whole or not at all. Throws `EEXIST` if one is there already. */
export async function writeNew(place: Place, writing: Writing, disk: Disk): Promise<void> {
  await (await stageNew(place, writing, disk)).commit();
}

/** Writes a new file without giving it its name yet. */
export function stageNew(place: Place, writing: Writing, disk: Disk): Promise<Staged> {
  const prepare = (fd: number) => {
    if (writing.mode !== undefined) disk.setMode(fd, writing.mode);
  };
  return stage(place, writing, writing.mode ?? 0o666, prepare, disk, () =>
    place.directory.use((here) => giveName(`${here}/${writing.temporary}`, `${here}/${place.name}`, disk)),
  );
}

/**
 * Replaces an open file's content, whole or not at all. Keeps its mode and, where allowed, its owner. The file must
 * still hold `before`.
 */
export async function replaceContent(
  file: OpenFile,
  before: Uint8Array,
  writing: Writing,
  disk: Disk,
): Promise<void> {
  await (await stageContent(file, before, writing, disk)).commit();
}

/** Writes new content, but does not put it in the file's place yet. */
export function stageContent(
  file: OpenFile,
  before: Uint8Array,
  writing: Writing,
  disk: Disk,
): Promise<Staged> {
  const { stats } = file;
  const prepare = (fd: number) => {
    keepOwner(fd, Number(stats.uid), Number(stats.gid), disk);
    disk.setMode(fd, writing.mode ?? Number(stats.mode) & 0o777);
  };
  return stage(file, writing, 0o600, prepare, disk, () =>
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

async function stage(
  place: Place,
  { bytes, temporary, signal }: Writing,
  mode: number,
  prepare: (fd: number) => void,
  disk: Disk,
  giveItsName: () => void,
): Promise<Staged> {
  const fd = place.directory.use((here) => disk.open(`${here}/${temporary}`, NEW, mode));
  try {
    try {
      await writeAll(fd, bytes, disk);
      prepare(fd);
      await disk.sync(fd);
    } finally {
      disk.close(fd);
    }
  } catch (error) {
    removeTemporary(place, temporary, disk);
    throw error;
  }
  return {
    commit: async () => {
      try {
        signal?.throwIfAborted();
        giveItsName();
      } catch (error) {
        removeTemporary(place, temporary, disk);
        throw error;
      }
      await syncDirectory(place, disk);
    },
    drop: () => removeTemporary(place, temporary, disk),
  };
}

async function writeAll(fd: number, bytes: Uint8Array, disk: Disk): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const count = await disk.write(fd, bytes, at);
    if (count <= 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    at += count;
  }
}

/**
 * Gives the file its second name, then removes the first. Unlike a rename, this never replaces a file that somebody
 * else made meanwhile.
 */
function giveName(temporary: string, name: string, disk: Disk): void {
  try {
    disk.link(temporary, name);
  } catch (error) {
    if (!NO_LINKS.has(errnoOf(error) ?? '')) throw error;
    // Disks without links, such as a USB stick: take the name with an empty file first.
    disk.close(disk.open(name, NEW, 0o600));
    disk.rename(temporary, name);
    return;
  }
  disk.remove(temporary);
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function checkUnchanged(file: OpenFile, before: Uint8Array, path: string, disk: Disk): void {
  // Compare the content first: two writes within one tick of the disk's clock have the same time.
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
    // Only root may give files away, so the file becomes this user's, as with any editor that writes this way.
    if (errnoOf(error) !== 'EPERM' && errnoOf(error) !== 'ENOSYS') throw error;
  }
}

/** Removes what a failed write left. If that fails now, the next start does it. */
export function removeTemporary(place: Place, temporary: string, disk: Disk): void {
  try {
    place.directory.use((here) => disk.remove(`${here}/${temporary}`));
  } catch {
    // Ignore this failure: the caller reports the one that led here.
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
