import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { takeLock } from '../../lib/lock.ts';

/** Takes a folder for this process alone, or says that somebody has it. Gives a function that releases it. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const taken = takeLock(join(folder, 'lock'));
  if ('lock' in taken) return taken.lock.release;
  throw new CliError(
    `Another bowline process already connects this machine with the journal in ${folder}.`,
    'Stop that one first. `bowline service status` shows whether it is the service.',
  );
}
