import { hasContent, utf8Text } from '../core/git-blob.ts';
import type { MirroredFile } from '../core/mirror-push.ts';
import type { Blobs } from './blobs.ts';
import { isInBucket } from './in-bucket.ts';
import { indexDoc } from './index-text.ts';
import { nextEntries } from './push-pieces.ts';
import { goesOn } from './push-store.ts';

/** A content that is now in the bucket, with its text if it has one. */
export interface Arrived {
  readonly sha: string;
  readonly text?: string;
}

/** Takes in new contents, with the text that was read while they arrived. Those that the push does not name are loose. */
export function takeArrived(sql: SqlStorage, id: string, arrived: readonly Arrived[], now: number): void {
  goesOn(sql, id, now);
  const texts = new Map(arrived.map(({ sha, text }) => [sha, text]));
  const named = new Set<string>();
  for (const { path, sha } of nextEntries(sql, id)) {
    if (sha === null || !texts.has(sha)) continue;
    named.add(sha);
    indexDoc(sql, { path, sha }, texts.get(sha), true);
  }
  for (const sha of texts.keys()) {
    // A document from before the bucket lost its content.
    sql.exec('UPDATE doc SET kept = 1 WHERE sha = ? AND kept = 0', sha);
    if (named.has(sha)) sql.exec('DELETE FROM loose WHERE sha = ?', sha);
    else if (!isInBucket(sql, sha)) sql.exec('INSERT INTO loose VALUES (?, ?)', sha, now);
  }
}

/** Tells whether a file must be read to be indexed: an empty one is known. */
export function isRead(file: MirroredFile): boolean {
  return file.size > 0 && hasContent(file);
}

/** Indexes contents that were here before. They must be read again to be found at another path. */
export async function indexHere(
  storage: DurableObjectStorage,
  blobs: Blobs,
  files: readonly MirroredFile[],
): Promise<void> {
  const { sql } = storage;
  const reading = new Map<string, Promise<Uint8Array | undefined>>();
  const reads = (sha: string) => {
    const one = reading.get(sha) ?? blobs.get(sha);
    reading.set(sha, one);
    return one;
  };
  const read = await Promise.all(
    files.map(async (file) => ({ file, bytes: isRead(file) ? await reads(file.sha) : new Uint8Array() })),
  );
  storage.transactionSync(() => {
    for (const { file, bytes } of read) {
      if (bytes) {
        indexDoc(sql, file, utf8Text(bytes), hasContent(file));
        if (hasContent(file)) sql.exec('DELETE FROM loose WHERE sha = ?', file.sha);
      } else {
        // It is missing although it was believed to be there, so ask for it.
        sql.exec('UPDATE doc SET kept = 0 WHERE sha = ?', file.sha);
        sql.exec('DELETE FROM loose WHERE sha = ?', file.sha);
      }
    }
  });
}
