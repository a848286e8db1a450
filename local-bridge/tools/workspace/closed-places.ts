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
   * Tells whether one of them has moved. If a command renames a folder around it, its path no longer shows what is
   * closed.
   */
  areMoved(): boolean;
  close(): void;
}

export const MOVED =
  "Bowline's own folder was moved, so it can't be kept closed. Put it back, or start Bowline again.";

export function closePlaces(places: readonly string[]): ClosedPlaces {
  const paths = places.map(realPath);
  const prefixes = paths.map((path) => `${folded(path)}/`);
  const watched = [...new Set(paths.flatMap((path) => [path, dirname(path)]))].flatMap(watch);
  return {
    paths,
    hold: (path) => prefixes.some((prefix) => `${folded(path)}/`.startsWith(prefix)),
    areMoved: () => watched.some((one) => one.isMoved()),
    close: () => {
      // Close each once: afterwards the number may belong to another file.
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
    // A folder that this user can't open is closed to their tools and commands too. Windows opens no folders.
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

/** Resolves the links in a path, even if its end does not exist yet. */
export function realPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(absolute) === absolute) throw error;
    return join(realPath(dirname(absolute)), basename(absolute));
  }
}
