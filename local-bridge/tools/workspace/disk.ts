import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** The filesystem, as the workspace uses it. Tests replace it to cause failures and crashes. */
export interface Disk {
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): void;
  stat(path: string): fs.BigIntStats;
  /** Does not follow a link. */
  lstat(path: string): fs.BigIntStats;
  fstat(fd: number): fs.BigIntStats;
  list(path: string): fs.Dirent[];
  linkTarget(path: string): string;
  /** Fails where making something in this directory would fail. */
  mayAdd(directory: string): void;
  makeDirectory(path: string): void;
  removeDirectory(path: string): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  remove(path: string): void;
  setMode(fd: number, mode: number): void;
  setOwner(fd: number, uid: number, gid: number): void;
  /** Blocks the process, for the one check during which nothing else may run. */
  readAtOnce(fd: number, into: Buffer, at: number): number;
  /** Reads without blocking the process. */
  read(fd: number, into: Buffer, at: number): Promise<number>;
  write(fd: number, bytes: Uint8Array, at: number): Promise<number>;
  sync(fd: number): Promise<void>;
}

const read = promisify(fs.read);
const write = promisify(fs.write);

export const nodeDisk: Disk = {
  open: fs.openSync,
  close: fs.closeSync,
  stat: (path) => fs.statSync(path, { bigint: true }),
  lstat: (path) => fs.lstatSync(path, { bigint: true }),
  fstat: (fd) => fs.fstatSync(fd, { bigint: true }),
  list: (path) => fs.readdirSync(path, { withFileTypes: true }),
  linkTarget: (path) => fs.readlinkSync(path),
  mayAdd: (directory) => fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK),
  makeDirectory: (path) => fs.mkdirSync(path),
  removeDirectory: fs.rmdirSync,
  rename: fs.renameSync,
  link: fs.linkSync,
  remove: fs.unlinkSync,
  setMode: fs.fchmodSync,
  setOwner: fs.fchownSync,
  readAtOnce: (fd, into, at) => fs.readSync(fd, into, 0, into.length, at),
  read: async (fd, into, at) => (await read(fd, into, at, into.length - at, at)).bytesRead,
  write: async (fd, bytes, at) => (await write(fd, bytes, at, bytes.length - at, at)).bytesWritten,
  sync: promisify(fs.fsync),
};

/** Gives the code of a failed system call, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
