import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeAll, writeSafely } from '../../lib/safe-write.ts';

/**
 * Where a machine keeps what it has begun. All of it waits for the disk: an effect must not begin before
 * its word is written, and what is written is short.
 */
export interface Disk {
  /** The journal as it stands; none if there is none. */
  load(): string | undefined;
  append(text: string): void;
  /** Returns once everything appended is safe from a loss of power. */
  sync(): void;
  /** Puts another journal in the place of this one, whole or not at all, and safely. */
  replace(text: string): void;
  /** Keeps something large beside the journal, safely. */
  keep(name: string, bytes: Uint8Array): void;
  slice(name: string, from: number, to: number): Uint8Array;
  drop(name: string): void;
}

/** The disk of this computer, in a folder that is nobody else's. */
export function folderDisk(folder: string): Disk & { close(): void } {
  mkdirSync(join(folder, 'results'), { recursive: true, mode: 0o700 });
  const path = join(folder, 'journal');
  let open: number | undefined;
  const journal = () => {
    open ??= openSync(path, 'a', 0o600);
    return open;
  };
  const close = () => {
    if (open !== undefined) closeSync(open);
    open = undefined;
  };
  const pathOf = (name: string) => join(folder, 'results', name);
  return {
    load: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    append: (text) => {
      const file = journal();
      const { size } = fstatSync(file);
      try {
        writeAll(file, Buffer.from(text));
      } catch (error) {
        // Half a line of a full disk would spoil the next one, and with it the whole journal.
        ftruncateSync(file, size);
        throw error;
      }
    },
    sync: () => fsyncSync(journal()),
    replace: (text) => {
      close();
      writeSafely(path, Buffer.from(text));
    },
    keep: (name, bytes) => writeSafely(pathOf(name), bytes),
    slice: (name, from, to) => {
      const file = openSync(pathOf(name), 'r');
      try {
        const bytes = new Uint8Array(to - from);
        const length = readSync(file, bytes, 0, bytes.length, from);
        return bytes.subarray(0, length);
      } finally {
        closeSync(file);
      }
    },
    drop: (name) => rmSync(pathOf(name), { force: true }),
    close,
  };
}

/** Writes down who holds a folder; used by the lock. */
export function writeNew(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
