import { type BigIntStats, constants } from 'node:fs';
import type { Access } from './closed-names.ts';
import { type Disk, errnoOf } from './disk.ts';
import { identityOf, type Place } from './held.ts';
import { shown } from './path-rules.ts';
import { refuse, type WorkspaceRefusal } from './refusal.ts';
import { type Ground, linkRefusal, refusalOf, swapped } from './walk.ts';

/** A regular file, open for reading, in the directory that was checked on the way there. */
export interface OpenFile extends Place {
  readonly fd: number;
  readonly stats: BigIntStats;
}

const { O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
/** Flags to open without waiting: a pipe without a writer would block the whole process. */
const PLAIN = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** A file to be replaced is opened for writing only to learn whether the system would allow it. */
const FLAGS: Readonly<Record<Access, number>> = { read: O_RDONLY | PLAIN, write: O_RDWR | PLAIN };

/**
 * Opens a place's file, if it is regular and has no second name elsewhere. Closing the file also closes the place,
 * and so does a failure.
 */
export function openFile(
  place: Place,
  ground: Ground,
  above: readonly string[],
  to: Access,
  disk: Disk,
): OpenFile | WorkspaceRefusal {
  const stop = { directory: place.directory, names: above };
  let fd: number | undefined;
  try {
    // Opening a device can have effects, so first look what it is, and check again once it is open.
    const before = place.directory.use((here) => disk.lstat(`${here}/${place.name}`));
    const refusal = before.isSymbolicLink()
      ? linkRefusal(stop, place.name, ground, disk)
      : refusalFor(before, place.relative);
    if (refusal) return closing(place, refusal);
    const opened = place.directory.use((here) => disk.open(`${here}/${place.name}`, FLAGS[to]));
    fd = opened;
    const stats = disk.fstat(opened);
    const changed = identityOf(stats) !== identityOf(before) ? swapped(shown(place.relative)) : undefined;
    const unfit = changed ?? refusalFor(stats, place.relative);
    if (!unfit) return { ...place, fd: opened, stats, close: () => closeBoth(opened, place, disk) };
    closeBoth(opened, place, disk);
    return unfit;
  } catch (error) {
    if (fd !== undefined) disk.close(fd);
    if (errnoOf(error) === 'ENXIO') return closing(place, notRegular(place.relative));
    return closing(place, refusalOf(error, stop, place.name, ground, disk));
  }
}

function refusalFor(stats: BigIntStats, path: string): WorkspaceRefusal | undefined {
  if (stats.isDirectory()) return refuse('not_a_file', `Path '${shown(path)}' is a directory`);
  if (!stats.isFile()) return notRegular(path);
  if (stats.nlink > 1n) {
    return refuse(
      'not_a_file',
      `File '${shown(path)}' has another name elsewhere on the disk (a hard link), so tools do not open it`,
      'Ask the owner to make a copy of it.',
    );
  }
  return undefined;
}

function notRegular(path: string): WorkspaceRefusal {
  return refuse('not_a_file', `Path '${shown(path)}' is not a regular file`);
}

function closing(place: Place, refusal: WorkspaceRefusal): WorkspaceRefusal {
  place.close();
  return refusal;
}

function closeBoth(fd: number, place: Place, disk: Disk): void {
  disk.close(fd);
  place.close();
}
