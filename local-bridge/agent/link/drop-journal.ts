import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from './lock.ts';

/** Drops a machine's journal, so that it begins a new one. The outcomes of calls that were running become unknown. */
export function dropJournal(folder: string): void {
  const release = lockFolder(folder);
  for (const name of ['journal', 'results']) rmSync(join(folder, name), { recursive: true, force: true });
  release();
}
