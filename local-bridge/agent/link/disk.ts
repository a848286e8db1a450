import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeAll, writeSafely } from '../../lib/safe-write.ts';

/**
 * The disk where a machine keeps what it has begun. Every write waits for the disk, because an effect must not begin
 * before its record is stored. The records are short.
 */
export interface Disk {
  /** Identifies the folder, so that a copied journal can be told from the original. */
  readonly place: string;
  /** Reads the journal; `undefined` if there is none. */
  load(): string | undefined;
  append(text: string): void;
  /** Returns once everything appended survives a loss of power. */
  sync(): void;
  /** Replaces the journal by another one, durably, whole or not at all. */
  replace(text: string): void;
  /** Stores something large beside the journal, durably. */
  keep(name: string, bytes: Uint8Array): void;
  slice(name: string, from: number, to: number): Uint8Array;
  drop(name: string): void;
  /** Drops all that is stored beside the journal but these, and what a killed process had half written. */
  dropOthers(than: ReadonlySet<string>): void;
}

/** Opens a disk in a folder that nobody else uses. */
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
    // The folder's number on its disk. A device's own number changes with restarts.
    place: String(statSync(folder).ino),
    load: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    append: (text) => {
      const file = journal();
      const { size } = fstatSync(file);
      try {
        writeAll(file, Buffer.from(text));
      } catch (error) {
        // Half a line on a full disk would spoil the next line, and so the whole journal.
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
    dropOthers: (than) => {
      for (const name of readdirSync(join(folder, 'results')))
        if (!than.has(name)) rmSync(pathOf(name), { recursive: true, force: true });
    },
    close,
  };
}
