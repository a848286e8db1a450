import { constants } from 'node:fs';
import { sep } from 'node:path';
import type { Disk } from './disk.ts';

/** A folder the owner opened to tools. */
export interface Root {
  /** What a call's `root` names it by. */
  readonly name: string;
  /** Its real absolute path. */
  readonly path: string;
}

/** Where something is to be written: the directory that is to hold it, and its name there. */
export interface Place {
  readonly root: Root;
  readonly relative: string;
  /** The absolute path, for people. */
  readonly location: string;
  readonly directory: Held;
  readonly name: string;
  /** Folders that were made on the way, outermost first; of a place that was only looked at, those that would be. */
  readonly created: readonly string[];
  close(): void;
}

/** A directory held open: what is done in it happens there, whatever its path has come to mean since. */
export interface Held {
  /** Where it was when it was opened, for people. */
  readonly path: string;
  readonly fd: number;
  /** The directory of that name in it. A link, or anything else, is an `ENOTDIR` or `ELOOP`. */
  enter(name: string): Held;
  /** Runs `work` at once with a path that names this very directory; the path is good only until then. */
  use<T>(work: (here: string) => T): T;
  close(): void;
}

// Windows has none of these; there `lstat` before and `fstat` after an opening say the same.
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
const DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** How directories are held where the kernel names open ones in `/proc`: Linux. */
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

/** The steps from a root to a directory, each with what it was when it was taken. */
interface Step {
  readonly name: string;
  readonly identity: string;
}

/**
 * How directories are held everywhere else. The working directory is a handle too: it is moved into
 * the directory name by name, and after each step the system is asked whether this is still the
 * directory that was checked. Nothing else of the process runs meanwhile. Slower, and only on the
 * main thread.
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
  // Held open so that its inode cannot become another directory's.
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

/** Which file this is, whatever its name. */
export function identityOf({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`;
}

function errno(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}

function join(path: string, name: string): string {
  return path.endsWith(sep) ? path + name : path + sep + name;
}
