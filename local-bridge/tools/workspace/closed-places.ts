import { closeSync, fstatSync, lstatSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from './disk.ts';
import { identityOf } from './held.ts';
import { folded } from './path-rules.ts';

/** Bowline's own folders and files. No tool and no command may touch them, even inside an open folder. */
interface ClosedPlaces {
  /** Their real paths. */
  readonly paths: readonly string[];
  /** Tells whether a real path is one of them or inside one. */
  hold(path: string): boolean;
  /**
   * Tells whether one of them is no longer where it was. A command may rename a folder around it, and then no path
   * shows any more what is closed.
   */
  areMoved(): boolean;
  close(): void;
}

export const MOVED =
  "Bowline's own folder was moved, so that it can't be kept closed. Put it back, or start Bowline again.";

export function closePlaces(places: readonly string[]): ClosedPlaces {
  const paths = places.map(realPath);
  const prefixes = paths.map((path) => `${folded(path)}/`);
  const watched = [...new Set(paths.flatMap((path) => [path, dirname(path)]))].flatMap(watch);
  return {
    paths,
    hold: (path) => prefixes.some((prefix) => `${folded(path)}/`.startsWith(prefix)),
    areMoved: () => watched.some((one) => one.isMoved()),
    close: () => {
      // Closing twice is dangerous: the number may be somebody else's file by then.
      for (const { fd } of watched.splice(0)) closeSync(fd);
    },
  };
}

/** Holds a folder, to recognise it later. A file is replaced at each write, so its folder is watched instead. */
function watch(path: string): { fd: number; isMoved(): boolean }[] {
  try {
    if (!lstatSync(path).isDirectory()) return [];
    const fd = openSync(path, 'r');
    const identity = identityOf(fstatSync(fd, { bigint: true }));
    // A deleted folder has no name left, and nothing in it.
    return [{ fd, isMoved: () => identityAt(path) !== identity && fstatSync(fd).nlink > 0 }];
  } catch (error) {
    // What this user can't open is closed to their tools and commands too. Windows opens no folders.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

function identityAt(path: string): string | undefined {
  try {
    return identityOf(lstatSync(path, { bigint: true }));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Gives the path without links, even if its end does not exist yet. */
export function realPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(absolute) === absolute) throw error;
    return join(realPath(dirname(absolute)), basename(absolute));
  }
}
