import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { builtWorkerFolder } from '../../local-bridge/local/up/gateway.ts';
import { isFresh, readBuilt, stamp } from '../../local-bridge/local/up/runtime/build-note.ts';

/**
 * Copies the built Worker that tests share into a folder for `BOWLINE_BUILT_WORKER`, as if it had been built there, which
 * takes five seconds of a processor. Tells whether there was one.
 */
export function copyBuilt(to: string): boolean {
  const shared = builtWorkerFolder('');
  const built = readBuilt(join(shared, 'built.json'));
  if (!built || !isFresh(built)) return false;
  const folder = join(to, basename(shared));
  mkdirSync(folder, { recursive: true });
  const files = built.files.map((file) => {
    const [path] = file;
    if (dirname(path) !== shared) return file;
    const copy = join(folder, basename(path));
    copyFileSync(path, copy);
    return stamp(copy);
  });
  const note = JSON.stringify({ ...built, files });
  writeFileSync(join(folder, 'built.json'), note.replaceAll(`${shared}/`, `${folder}/`));
  return true;
}
