import { posix } from 'node:path';
import { type Disk, errnoOf } from './disk.ts';
import type { Held } from './held.ts';
import { namesIn, shown } from './path-rules.ts';
import { isRefusal, refuse, type WorkspaceRefusal } from './refusal.ts';

/** The end of a walk: the directory, and the names that led to it from the root. */
export interface Stop {
  readonly directory: Held;
  readonly names: readonly string[];
}

/** The facts about its root that a walk needs. */
export interface Ground {
  readonly path: string;
  readonly held: Held;
}

/**
 * Walks from the root through every name and holds the last directory. Each name must be a real directory in the one
 * before. With `create`, it makes missing ones and adds their paths from the root to `create`.
 */
export function walk(
  ground: Ground,
  names: readonly string[],
  disk: Disk,
  create?: string[],
): Held | WorkspaceRefusal {
  const found = stepThrough(ground, names, disk, (from, name, path) => step(from, name, path, disk, create));
  return isRefusal(found) ? found : found.directory;
}

/** Walks as far as there are directories and holds the last one. Makes nothing. */
export function walkAsFar(ground: Ground, names: readonly string[], disk: Disk): Stop | WorkspaceRefusal {
  return stepThrough(ground, names, disk, (from, name) => {
    try {
      return from.enter(name);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/** Does the walk. It ends where `enter` gives nothing. */
function stepThrough(
  ground: Ground,
  names: readonly string[],
  disk: Disk,
  enter: (from: Held, name: string, path: readonly string[]) => Held | undefined,
): Stop | WorkspaceRefusal {
  // A walk of no steps must not close the root.
  let directory: Held = { ...ground.held, close: () => undefined };
  for (const [i, name] of names.entries()) {
    const stop = { directory, names: names.slice(0, i) };
    try {
      const next = enter(directory, name, names.slice(0, i + 1));
      if (!next) return stop;
      directory.close();
      directory = next;
    } catch (error) {
      const refusal = refusalOf(error, stop, name, ground, disk);
      directory.close();
      return refusal;
    }
  }
  return { directory, names };
}

function step(from: Held, name: string, names: readonly string[], disk: Disk, create?: string[]): Held {
  try {
    return from.enter(name);
  } catch (error) {
    if (!create || errnoOf(error) !== 'ENOENT') throw error;
    try {
      from.use((here) => disk.makeDirectory(`${here}/${name}`));
      create.push(names.join('/'));
    } catch (cannot) {
      // Somebody else made the directory in between. Entering it shows what it is.
      if (errnoOf(cannot) !== 'EEXIST') throw cannot;
    }
    return from.enter(name);
  }
}

/** Says why a name in a directory could not be opened. Throws if the machine itself has a problem. */
export function refusalOf(
  error: unknown,
  { directory, names }: Stop,
  name: string,
  ground: Ground,
  disk: Disk,
): WorkspaceRefusal {
  const path = shown([...names, name].join('/'));
  switch (errnoOf(error)) {
    case 'ENOENT':
      return refuse('not_found', `'${path}' not found`);
    case 'ENOTDIR':
    case 'ELOOP':
    case 'EMLINK':
      return linkRefusal({ directory, names }, name, ground, disk) ?? notADirectory(path);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ETXTBSY':
      return refuse('permission_denied', `Cannot open '${path}' - permission denied`);
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return refuse('invalid_path', `Path '${path}' is refused: this system does not take such a name.`);
    case 'ESTALE':
      return swapped(path);
    default:
      throw error;
  }
}

function notADirectory(path: string): WorkspaceRefusal {
  return { ...refuse('not_a_directory', `Path '${path}' is not a directory`), at: path };
}

/** Makes the refusal for a path that changed between the look and the opening. */
export function swapped(path: string): WorkspaceRefusal {
  return refuse(
    'path_outside_root',
    `Path '${path}' was replaced while it was being opened`,
    'Call again when nothing else changes the folder.',
  );
}

/**
 * Refuses a link, wherever it leads: what a call names must be what the owner saw and approved. For a link that stays
 * inside, it says which path to name instead.
 */
export function linkRefusal(
  { directory, names }: Stop,
  name: string,
  ground: Ground,
  disk: Disk,
): WorkspaceRefusal | undefined {
  const target = directory.use((here) => targetOf(`${here}/${name}`, disk));
  if (target === undefined) return undefined;
  const path = shown([...names, name].join('/'));
  const inside = insideOf(ground.path, names, target);
  return inside === undefined
    ? refuse(
        'path_outside_root',
        `Path '${path}' is outside working directory: it is a link that leads out of it`,
      )
    : refuse(
        'path_denied',
        `Path '${path}' is a link, and links are not followed`,
        `Use '${inside}', where it leads.`,
      );
}

function targetOf(path: string, disk: Disk): string | undefined {
  try {
    return disk.lstat(path).isSymbolicLink() ? disk.linkTarget(path) : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** Gives the path from the root that a link means, if a call could name it. */
function insideOf(root: string, names: readonly string[], target: string): string | undefined {
  const absolute = posix.resolve(root, ...names, target);
  const relative = posix.relative(root, absolute) || '.';
  return isRefusal(namesIn(relative)) ? undefined : relative;
}
