import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from './lock.ts';

/** Drops a machine's journal, so that it begins a new one. What it had begun is unknown from then on. */
export function dropJournal(folder: string): void {
  const release = lockFolder(folder);
  for (const name of ['journal', 'results']) rmSync(join(folder, name), { recursive: true, force: true });
  release();
}
