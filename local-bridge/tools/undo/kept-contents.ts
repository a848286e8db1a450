import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../workspace/disk.ts';
import { keep, read, removeIfThere, sha256 } from './journal.ts';

/** Contents of files as they were before a command, by hash. Several processes use the folder at once. */
export interface KeptContents {
  /** Keeps a content, and gives its hash. */
  put(bytes: Uint8Array): Promise<string>;
  has(hash: string): boolean;
  /** Gives a content that is there whole. */
  read(hash: string): Buffer | undefined;
  /** Removes all but these, once much was put in. */
  sweep(used: () => ReadonlySet<string>): void;
}

const SWEPT_AFTER_BYTES = 128 * 1024 * 1024;
const SWEPT_AFTER_FILES = 4_000;
const HASH = /^[0-9a-f]{64}$/;

/** Opens the folder beside the journal's entries. What an earlier process left is swept with the first that is put in. */
export function openKeptContents(undoFolder: string, disk: Disk): KeptContents {
  const folder = join(undoFolder, 'kept');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const left = readdirSync(folder).length > 0;
  let [bytesPut, filesPut] = left ? [SWEPT_AFTER_BYTES, SWEPT_AFTER_FILES] : [0, 0];
  const has = (hash: string) => existsSync(join(folder, hash));
  const underway = new Map<string, Promise<void>>();
  const write = async (hash: string, bytes: Uint8Array) => {
    // A crash in the middle must not leave half a content under the name of the whole.
    const part = join(folder, `${hash}.${process.pid}.part`);
    removeIfThere(part, disk);
    await keep(part, bytes, disk, false);
    disk.rename(part, join(folder, hash));
  };
  return {
    has,
    put: async (bytes) => {
      const hash = sha256(bytes);
      if (has(hash)) return hash;
      bytesPut += bytes.length;
      filesPut += 1;
      // Two files with one content may come at once.
      const writing = underway.get(hash) ?? write(hash, bytes).finally(() => underway.delete(hash));
      underway.set(hash, writing);
      await writing;
      return hash;
    },
    read: (hash) => {
      const bytes = HASH.test(hash) ? read(join(folder, hash)) : undefined;
      return bytes && sha256(bytes) === hash ? bytes : undefined;
    },
    sweep: (used) => {
      if (bytesPut < SWEPT_AFTER_BYTES && filesPut < SWEPT_AFTER_FILES) return;
      [bytesPut, filesPut] = [0, 0];
      const wanted = used();
      for (const name of readdirSync(folder)) if (!wanted.has(name)) removeIfThere(join(folder, name), disk);
    },
  };
}
