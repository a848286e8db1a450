import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A folder for a target that reads real files. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-fuzz-'));
  made.push(folder);
  return folder;
}

/** Removes them all; said by whoever runs targets, since a thread that is ended says nothing. */
export function removeScratch(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
