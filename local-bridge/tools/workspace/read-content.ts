import type { Disk } from './disk.ts';
import type { OpenFile } from './open-file.ts';

/**
 * Reads up to `limit` bytes from the beginning of an open file. If the file grows meanwhile, the added bytes are not
 * read.
 */
export async function readUpTo({ fd, stats }: OpenFile, limit: number, disk: Disk): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(Number(stats.size), limit));
  let at = 0;
  while (at < bytes.length) {
    const count = await disk.read(fd, bytes, at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

/** Reads a whole open file. */
export function readWhole(file: OpenFile, disk: Disk): Promise<Buffer> {
  return readUpTo(file, Number(file.stats.size), disk);
}
