import { nearest } from '../../../src/core/nearest.ts';
import type { Disk } from './disk.ts';
import { isRefusal } from './refusal.ts';
import { type Ground, walkAsFar } from './walk.ts';

/** The most names to compare. Comparing more takes too long for a typing mistake. */
const MAX_COMPARED = 2_000;

/**
 * Finds the path that a mistyped one most likely means: its existing part, and the name there that is most like the
 * first missing one. It never offers a closed path.
 */
export function nearPath(
  ground: Ground,
  names: readonly string[],
  disk: Disk,
  isOpen: (path: string) => boolean,
): string | undefined {
  const stop = walkAsFar(ground, names.slice(0, -1), disk);
  if (isRefusal(stop)) return undefined;
  const { directory, names: there } = stop;
  try {
    const missing = names[there.length];
    if (missing === undefined) return undefined;
    const listed = directory.use((here) => disk.list(here));
    if (listed.length > MAX_COMPARED) return undefined;
    const pathTo = (name: string) => [...there, name].join('/');
    const open = listed.map(({ name }) => name).filter((name) => isOpen(pathTo(name)));
    const meant = nearest(missing, open);
    return meant === undefined ? undefined : pathTo(meant);
  } catch {
    // Give no hint rather than an error: the folder may be gone or unreadable.
    return undefined;
  } finally {
    directory.close();
  }
}
