import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';

/** A disk of its own for a folder, which can be full. */
export interface SmallDisk {
  /** Takes all room away, or gives it back. */
  fill(isFull: boolean): void;
  /** Gives the folder its former disk back. */
  remove(): void;
}

const ROOM = '4g';
const SPARE_BYTES = 65_536;
const ATTEMPTS = 20;

/** Puts a disk in memory under a folder. Gives nothing where the system does not let this user do so. */
export function putDiskUnder(folder: string): SmallDisk | undefined {
  const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${ROOM},mode=700`, 'tmpfs', folder);
  } catch {
    return undefined;
  }
  return {
    fill: (isFull) => {
      if (!isFull) return void mount('-o', `remount,size=${ROOM}`, folder);
      for (let attempt = 1; ; attempt++) {
        const { blocks, bfree, bsize } = statfsSync(folder);
        try {
          return void mount('-o', `remount,size=${(blocks - bfree) * bsize + SPARE_BYTES}`, folder);
        } catch (error) {
          // It holds more by now.
          if (attempt === ATTEMPTS) throw error;
        }
      }
    },
    remove: () => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }),
  };
}
