import { constants, type Dirent, lstatSync, opendirSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { shown } from '../workspace/path-rules.ts';
import { isRefusal, type WorkspaceRefusal } from '../workspace/refusal.ts';
import type { Folder } from '../workspace/workspace.ts';

/** The entries of a folder by name, each with a text that changes when the file does, or that says it is a folder. */
type Names = ReadonlyMap<string, string>;

/** The files below a folder at one moment. */
export interface Snapshot {
  /** Folders by their path from the top, with `/`; the top is `''`. */
  readonly folders: ReadonlyMap<string, Names>;
  /** True if some folders were not read. */
  readonly isPartial: boolean;
}

/** The differences between two moments. */
export interface Touched {
  readonly paths: readonly string[];
  /** All of them, as the disk names them. */
  readonly all: readonly string[];
  /** The number of further paths that are not listed. */
  readonly more: number;
  readonly isPartial: boolean;
}

/** Opens a folder below the top, without links on the way. */
export type OpenBelow = (path: string) => Pick<Folder, 'use' | 'close'> | WorkspaceRefusal;

export const MAX_ENTRIES = 10_000;
const MAX_MS = 400;
const MAX_NAMED = 100;
const FOLDER = 'folder';
/** Folders of git and package managers: they hold many files that nobody asks about. */
const LEFT_OUT = new Set(['.git', 'node_modules']);
const FOLDERS_A_TURN = 20;

/** Reads the names and times of everything below a folder, nearest first, within the time that a command may wait. */
export async function snapshotOf(open: OpenBelow, maxEntries = MAX_ENTRIES): Promise<Snapshot> {
  const folders = new Map<string, Names>();
  const until = performance.now() + MAX_MS;
  const waiting = [''];
  let entries = 0;
  let isPartial = false;
  for (const path of waiting) {
    if (entries > maxEntries || performance.now() > until) return { folders, isPartial: true };
    const names = namesIn(open, path, maxEntries - entries, until);
    if (!names) {
      isPartial = true;
      continue;
    }
    folders.set(path, names);
    entries += names.size;
    for (const [name, print] of names) {
      if (print === FOLDER && !LEFT_OUT.has(name)) waiting.push(below(path, name));
    }
    if (folders.size % FOLDERS_A_TURN === 0) await turn();
  }
  return { folders, isPartial };
}

const NOTHING: Names = new Map();

/**
 * Reads a folder's entries. A folder closed to tools reads as empty; one that can't be read, or has too many, gives
 * `undefined`.
 */
function namesIn(open: OpenBelow, path: string, most: number, until: number): Names | undefined {
  try {
    const folder = open(path === '' ? '.' : path);
    if (isRefusal(folder)) return folder.code === 'path_denied' ? NOTHING : undefined;
    try {
      return folder.use((here) => {
        const names = new Map<string, string>();
        const list = opendirSync(here);
        try {
          for (let entry = list.readSync(); entry; entry = list.readSync()) {
            // Stop here: one folder may hold millions of files, and the bridge does nothing else meanwhile.
            if (names.size > most || performance.now() > until) return undefined;
            names.set(entry.name, printOf(here, entry));
          }
        } finally {
          list.closeSync();
        }
        return names;
      });
    } finally {
      folder.close();
    }
  } catch {
    // The folder is gone, or belongs to another user.
    return undefined;
  }
}

/** Makes a text that changes with the file. Nobody can set a change time, so a file with the same one is unchanged. */
function printOf(here: string, entry: Dirent): string {
  if (entry.isDirectory()) return FOLDER;
  const stat = lstatSync(`${here}/${entry.name}`, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}:${stat.mode}` : 'gone';
}

/**
 * Lists what was created, changed or removed between two snapshots. A folder that is missing in one of them is
 * skipped.
 */
export function touchedBetween(before: Snapshot, after: Snapshot): Touched {
  const touched = new Set<string>();
  for (const [path, names] of before.folders) {
    const now = after.folders.get(path);
    if (!now) continue;
    for (const name of new Set([...names.keys(), ...now.keys()])) {
      const [was, is] = [names.get(name), now.get(name)];
      if (was === is) continue;
      const place = below(path, name);
      if (isFile(was) || isFile(is)) touched.add(place);
      if (was === FOLDER) addAll(before, place, touched);
      if (is === FOLDER) addAll(after, place, touched);
    }
  }
  const paths = [...touched].sort();
  return {
    paths: paths.slice(0, MAX_NAMED).map(shown),
    all: paths,
    more: Math.max(0, paths.length - MAX_NAMED),
    isPartial: before.isPartial || after.isPartial,
  };
}

function isFile(print: string | undefined): boolean {
  return print !== undefined && print !== FOLDER;
}

/** Adds the files of a folder that came or went, or the folder itself if it has none. */
function addAll({ folders }: Snapshot, path: string, touched: Set<string>): void {
  const names = folders.get(path);
  if (!names?.size) touched.add(path);
  for (const [name, print] of names ?? []) {
    const place = below(path, name);
    if (print === FOLDER) addAll({ folders, isPartial: false }, place, touched);
    else touched.add(place);
  }
}

/** What a snapshot says of a path: a text that changes with the file, and what the file was like. */
export interface Seen {
  readonly print: string;
  readonly isPlain: boolean;
  readonly isFolder: boolean;
  readonly size: number;
  readonly mode: number;
}

/** Gives what stood at a path; `undefined` if there was nothing, or nobody looked. */
export function seenAt({ folders }: Snapshot, path: string): Seen | undefined {
  const end = path.lastIndexOf('/');
  const print = folders.get(path.slice(0, Math.max(end, 0)))?.get(path.slice(end + 1));
  return print === undefined ? undefined : seenIn(print);
}

/** Lists the plain files, nearest first. */
export function* plainFiles({ folders }: Snapshot): Generator<readonly [path: string, seen: Seen]> {
  for (const [folder, names] of folders) {
    for (const [name, print] of names) {
      const seen = seenIn(print);
      if (seen.isPlain) yield [below(folder, name), seen];
    }
  }
}

function seenIn(print: string): Seen {
  const [, , size = '0', , mode = '0'] = print.split(':');
  const type = Number(mode) & constants.S_IFMT;
  const [isPlain, isFolder] = [type === constants.S_IFREG, print === FOLDER];
  return { print, isPlain, isFolder, size: Number(size), mode: Number(mode) & 0o777 };
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
