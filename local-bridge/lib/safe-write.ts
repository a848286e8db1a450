import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Puts a file in its place, whole or not at all, and so that it outlives a loss of power. Processes that may write the
 * same file at once each need an ending of their own for the temporary one.
 */
export function writeSafely(path: string, bytes: Uint8Array, ending = 'new'): void {
  const temporary = `${path}.${ending}`;
  try {
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeAll(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    // Half a file would take room on a disk that is full already.
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Writes everything, however little the system takes at a time. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** The folder holds a file's name, so the name is safe once the folder is. */
function syncFolder(folder: string): void {
  // Windows opens no folders, and has no need to.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
