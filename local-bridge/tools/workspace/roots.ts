import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { closePlaces, realPath } from './closed-places.ts';
import { type Disk, errnoOf, nodeDisk } from './disk.ts';
import { type Held, holdByHandle, holdByWorkingDirectory, identityOf } from './held.ts';

export interface RootSetting {
  readonly path: string;
  /** The folder's own name unless set. */
  readonly name?: string;
}

export interface WorkspaceSettings {
  /** Absolute paths that stay closed although they are inside a root: Bowline's own state. */
  readonly closed?: readonly string[];
  readonly disk?: Disk;
  readonly hold?: (path: string, disk: Disk) => Held;
}

/** A root, with the handle that every walk starts from. */
export interface HeldRoot {
  readonly name: string;
  readonly path: string;
  readonly held: Held;
  /** Tells whether its path still names the directory that was opened. */
  isStillThere(disk: Disk): boolean;
}

/** Opens the roots once and holds them: the owner did not choose what somebody later puts in a root's place. */
export function holdRoots(settings: readonly RootSetting[], { closed = [], ...more }: WorkspaceSettings) {
  const { disk = nodeDisk, hold = howToHold() } = more;
  const places = closePlaces(closed);
  const roots = settings.map((setting): HeldRoot => {
    const path = realPath(setting.path);
    const name = setting.name ?? (basename(path) || path);
    if (places.hold(path)) {
      throw new CliError(`${path} is Bowline's own folder, which tools never see.`, 'Open another folder.');
    }
    const held = heldRoot(path, disk, hold);
    const identity = identityOf(disk.fstat(held.fd));
    return { name, path, held, isStillThere: (on) => isSame(path, identity, on) };
  });
  const names = roots.map((root) => root.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new CliError(`Two open folders are called ${JSON.stringify(twice)}.`, 'Give one another name.');
  }
  return { roots, closed: places, disk };
}

function heldRoot(path: string, disk: Disk, hold: (path: string, disk: Disk) => Held): Held {
  try {
    return hold(path, disk);
  } catch (error) {
    throw new CliError(`${path} cannot be opened as a folder (${errnoOf(error) ?? String(error)}).`);
  }
}

/** Chooses the way to hold directories on this system. */
export function howToHold() {
  return process.platform === 'linux' && existsSync('/proc/self/fd') ? holdByHandle : holdByWorkingDirectory;
}

function isSame(path: string, identity: string, disk: Disk): boolean {
  try {
    return identityOf(disk.lstat(path)) === identity;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
