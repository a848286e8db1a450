import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ArchiveStore } from '../../../src/gate/archive-store.ts';

/** Old calls in files of a folder that its user alone can read. */
export function archiveInFolder(folder: string): ArchiveStore {
  const pathOf = (name: string) => join(folder, basename(name));
  return {
    put: async (name, bytes) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const temporary = `${pathOf(name)}.${process.pid}`;
      const file = openSync(temporary, 'w', 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        // The calls are removed from the database next: this must outlive a loss of power.
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, pathOf(name));
      syncFolder(folder);
    },
    get: async (name) => {
      try {
        return readFileSync(pathOf(name));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

/** A new name is kept by the folder that it is in. Windows cannot open one, and needs not. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
