import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ArchiveStore } from '../../../src/gate/archive-store.ts';
import { writeSafely } from '../../lib/safe-write.ts';

/** Keeps old calls in files of a folder that only its user can read. */
export function archiveInFolder(folder: string): ArchiveStore {
  const pathOf = (name: string) => join(folder, basename(name));
  return {
    put: async (name, bytes) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // The calls leave the database next, and another process may be moving the same ones.
      writeSafely(pathOf(name), bytes, String(process.pid));
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
