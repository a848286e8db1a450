import { type Access, isOpenPath } from './closed-names.ts';
import { MOVED } from './closed-places.ts';
import { type Disk, errnoOf } from './disk.ts';
import type { Place, Root } from './held.ts';
import { nearPath } from './near-names.ts';
import type { OpenFile } from './open-file.ts';
import { openFile } from './open-file.ts';
import { namesIn, shown } from './path-rules.ts';
import { isRefusal, refuse, type WorkspaceRefusal } from './refusal.ts';
import { type HeldRoot, holdRoots, type RootSetting, type WorkspaceSettings } from './roots.ts';
import { walk, walkAsFar } from './walk.ts';

export type { RootSetting, WorkspaceSettings } from './roots.ts';

/** A directory inside a root. It was checked component by component and is held open until `close`. */
export interface Folder {
  readonly root: Root;
  /** The path from the root, with `/`; `.` is the root itself. */
  readonly relative: string;
  /** The absolute path, for people and logs. To work in the folder, use `use`. */
  readonly path: string;
  /**
   * Runs `work` with a path to this very directory, whatever was put in its place since. `work` can use the path as
   * `cwd` of a child, or before a `/` and a name. The path is valid until `work` returns, so `work` is synchronous.
   */
  use<T>(work: (here: string) => T): T;
  close(): void;
}

/** The open folders of this machine, and the only way from a path in a call to something on disk. */
export interface Workspace {
  /** The first is the default. */
  readonly roots: readonly Root[];
  root(name?: string): Root | WorkspaceRefusal;
  /** Opens an existing directory that may be read. It follows no links at any component. */
  folder(root: Root, path: string): Folder | WorkspaceRefusal;
  /** Opens an existing regular file for reading. */
  file(root: Root, path: string, to: Access): OpenFile | WorkspaceRefusal;
  /** Gives the place where a file or folder may be written. Does not check whether something is there already. */
  place(root: Root, path: string, parents: 'create' | 'exist'): Place | WorkspaceRefusal;
  /** Gives the place without making anything. If folders are missing, gives the place of the first missing one. */
  lookAt(root: Root, path: string): Place | WorkspaceRefusal;
  /** Removes empty directories, the last one first, and tells which could not be removed. */
  removeEmpty(root: Root, paths: readonly string[]): readonly string[];
  /**
   * Tells by its names alone whether a path from the root (as ripgrep prints it, with `/`) may be shown or changed.
   * Touches no disk.
   */
  isOpen(root: Root, relative: string, to: Access): boolean;
  close(): void;
}

/** Opens the folders that the owner chose. Throws a `CliError` if one cannot be opened. */
export function openWorkspace(settings: readonly RootSetting[], more: WorkspaceSettings = {}): Workspace {
  const { roots, closed, disk } = holdRoots(settings, more);
  const isOpen = (root: Root, relative: string, to: Access) =>
    isOpenPath(relative, to) && !closed.hold(`${root.path}/${relative}`);

  const namesOf = (root: Root, path: string, to: Access): readonly string[] | WorkspaceRefusal => {
    const names = namesIn(path);
    if (isRefusal(names)) return names;
    if (isOpen(root, path, to)) return names;
    return refuse('path_denied', `Path '${shown(path)}' is closed to tools`);
  };
  const groundFor = (root: Root) =>
    closed.areMoved() ? refuse('path_denied', MOVED) : groundOf(root, roots, disk);
  const way = (root: Root, path: string, to: Access) => {
    const names = namesOf(root, path, to);
    if (isRefusal(names)) return names;
    const ground = groundFor(root);
    return isRefusal(ground) ? ground : { ground, names };
  };
  /** Adds the path that was probably meant to a refusal, if the path does not exist. */
  const withHint = (refusal: WorkspaceRefusal, root: Root, path: string): WorkspaceRefusal => {
    if (refusal.code !== 'not_found') return refusal;
    const found = way(root, path, 'read');
    if (isRefusal(found)) return refusal;
    const meant = nearPath(found.ground, found.names, disk, (near) => isOpen(root, near, 'read'));
    return meant === undefined ? refusal : { ...refusal, suggestion: `Did you mean '${shown(meant)}'?` };
  };
  /** Opens the directory above the last name, and gives that name. */
  const above = (root: Root, path: string, to: Access, created?: string[]) => {
    const found = way(root, path, to);
    if (isRefusal(found)) return found;
    const { ground, names } = found;
    const directory = walk(ground, names.slice(0, -1), disk, created);
    return isRefusal(directory) ? directory : { ground, directory, names };
  };

  const place: Workspace['place'] = (root, path, parents) => {
    const created: string[] = [];
    const found = above(root, path, 'write', parents === 'create' ? created : undefined);
    if (isRefusal(found)) {
      removeEmpty(root, created);
      return found;
    }
    const { directory, names } = found;
    const name = names.at(-1);
    if (name === undefined) return refuse('path_denied', ROOT_STAYS);
    const location = `${root.path}/${path}`;
    return { root, relative: path, location, directory, name, created, close: directory.close };
  };
  const lookAt: Workspace['lookAt'] = (root, path) => {
    const found = way(root, path, 'write');
    if (isRefusal(found)) return found;
    const { ground, names } = found;
    const parents = names.slice(0, -1);
    const stop = walkAsFar(ground, parents, disk);
    if (isRefusal(stop)) return stop;
    const { directory } = stop;
    const name = names[stop.names.length];
    if (name === undefined) return refuse('path_denied', ROOT_STAYS);
    const created = parents.flatMap((_, i) =>
      i < stop.names.length ? [] : [names.slice(0, i + 1).join('/')],
    );
    const location = `${root.path}/${path}`;
    return { root, relative: path, location, directory, name, created, close: directory.close };
  };
  const removeEmpty: Workspace['removeEmpty'] = (root, paths) =>
    paths.toReversed().filter((path) => {
      const at = place(root, path, 'exist');
      if (isRefusal(at)) return at.code !== 'not_found';
      try {
        at.directory.use((here) => disk.removeDirectory(`${here}/${at.name}`));
        return false;
      } catch (error) {
        return errnoOf(error) !== 'ENOENT';
      } finally {
        at.close();
      }
    });

  return {
    roots,
    isOpen,
    root: (name) => rootNamed(name, roots),
    folder: (root, path) => {
      const found = way(root, path, 'read');
      if (isRefusal(found)) return found;
      const { ground, names } = found;
      const held = walk(ground, names, disk);
      return isRefusal(held) ? withHint(held, root, path) : { ...held, root, relative: path };
    },
    file: (root, path, to) => {
      const found = above(root, path, to);
      if (isRefusal(found)) return withHint(found, root, path);
      const { ground, directory, names } = found;
      const name = names.at(-1);
      if (name !== undefined) {
        const place = {
          root,
          relative: path,
          location: `${root.path}/${path}`,
          directory,
          name,
          created: [],
        };
        const file = openFile({ ...place, close: directory.close }, ground, names.slice(0, -1), to, disk);
        return isRefusal(file) ? withHint(file, root, path) : file;
      }
      return refuse('not_a_file', `Path '${path}' is a directory`);
    },
    place,
    lookAt,
    removeEmpty,
    close: () => {
      for (const { held } of roots) held.close();
      closed.close();
    },
  };
}

const ROOT_STAYS = 'The open folder itself is not changed';

function rootNamed(name: string | undefined, roots: readonly HeldRoot[]): Root | WorkspaceRefusal {
  const found = name === undefined ? roots[0] : roots.find((root) => root.name === name);
  if (found) return found;
  if (name === undefined) {
    return refuse('unknown_root', 'The machine has no open folder', 'Ask the owner to open one.');
  }
  const names = roots.map((root) => `'${root.name}'`).join(', ');
  return refuse('unknown_root', `The machine has no open folder '${shown(name)}'`, `Open folders: ${names}.`);
}

/** Gives the root's handle, as long as the folder is still where the owner opened it. */
function groundOf({ name }: Root, roots: readonly HeldRoot[], disk: Disk): HeldRoot | WorkspaceRefusal {
  const root = roots.find((one) => one.name === name);
  if (!root) return refuse('unknown_root', `The machine has no open folder '${shown(name)}'`);
  if (root.isStillThere(disk)) return root;
  return refuse(
    'unknown_root',
    `The open folder '${name}' is no longer at ${root.path}`,
    'Ask the owner to start Bowline again on that machine.',
  );
}
