import { constants } from 'node:fs';
import { sep } from 'node:path';
import type { Disk } from './disk.ts';

/** A folder that the owner opened to tools. */
export interface Root {
  /** The name in a call's `root`. */
  readonly name: string;
  /** Its real absolute path. */
  readonly path: string;
}

/** The place of a write: the directory, and the name in it. */
export interface Place {
  readonly root: Root;
  readonly relative: string;
  /** The absolute path, for people. */
  readonly location: string;
  readonly directory: Held;
  readonly name: string;
  /**
   * Folders that were made on the way, outermost first. If nobody was allowed to make them, those that would be made.
   */
  readonly created: readonly string[];
  close(): void;
}

/** A directory held open. Work happens in this directory, even if its path leads elsewhere by now. */
export interface Held {
  /** Its path when it was opened, for people. */
  readonly path: string;
  readonly fd: number;
  /** Enters the directory of that name. Fails with `ENOTDIR` or `ELOOP` for a link or anything else. */
  enter(name: string): Held;
  /** Runs `work` at once with a path to this very directory. The path is valid only until `work` returns. */
  use<T>(work: (here: string) => T): T;
  close(): void;
}

// Windows lacks these flags. There, `lstat` before opening and `fstat` after it find the same problems.
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
const DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** Holds directories on Linux, where the kernel names open ones in `/proc`. */
export function holdByHandle(path: string, disk: Disk): Held {
  return held(path, disk.open(path, DIRECTORY), disk);
}

function held(path: string, fd: number, disk: Disk): Held {
  const here = `/proc/self/fd/${fd}`;
  return {
    path,
    fd,
    enter: (name) => held(join(path, name), disk.open(`${here}/${name}`, DIRECTORY), disk),
    use: (work) => work(here),
    close: () => disk.close(fd),
  };
}

/** The steps from a root to a directory, each with its identity when it was taken. */
interface Step {
  readonly name: string;
  readonly identity: string;
}

/**
 * Holds directories on other systems by making each the working directory. It walks there name by name, and checks
 * after each step that this is still the same directory. Nothing else of the process runs meanwhile. It is slower,
 * and works only on the main thread.
 */
export function holdByWorkingDirectory(path: string, disk: Disk): Held {
  return walked(path, [{ name: path, identity: identityOf(disk.lstat(path)) }], disk);
}

function walked(path: string, steps: readonly Step[], disk: Disk): Held {
  const use = <T>(work: (here: string) => T): T => {
    const before = process.cwd();
    try {
      for (const step of steps) take(step, disk);
      return work('.');
    } finally {
      process.chdir(before);
    }
  };
  // Keep it open, so that no other directory can get its inode.
  const fd = use(() => disk.open('.', DIRECTORY & ~O_NOFOLLOW));
  return {
    path,
    fd,
    enter: (name) => {
      const found = use((here) => disk.lstat(`${here}/${name}`));
      if (!found.isDirectory()) throw errno('ENOTDIR', name);
      return walked(join(path, name), [...steps, { name, identity: identityOf(found) }], disk);
    },
    use,
    close: () => disk.close(fd),
  };
}

function take({ name, identity }: Step, disk: Disk): void {
  process.chdir(name);
  if (identityOf(disk.stat('.')) !== identity) throw errno('ESTALE', name);
}

/** Gives a file's identity, whatever its name. */
export function identityOf({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`;
}

function errno(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}

function join(path: string, name: string): string {
  return path.endsWith(sep) ? path + name : path + sep + name;
}
