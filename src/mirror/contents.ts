import { blobSha, hasContent, MAX_FILE_BYTES, utf8Text } from '../core/git-blob.ts';
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
    // The bucket had lost a content of the shown commit. Others are read before they count as kept, because a
    // document may be without its text.
    sql.exec(
      `UPDATE doc SET kept = 1 WHERE sha = ?1 AND kept = 0 AND EXISTS (SELECT 1 FROM file AS f
       WHERE f.path = doc.path AND f.sha = ?1 AND f.mode LIKE '100%' AND f.size <= ?2)`,
      sha,
      MAX_FILE_BYTES,
    );
    if (named.has(sha)) sql.exec('DELETE FROM loose WHERE sha = ?', sha);
    else if (!isInBucket(sql, sha)) sql.exec('INSERT INTO loose VALUES (?, ?)', sha, now);
  }
}

/** Tells whether a file must be read to be indexed. The empty content is known, by its name: a pusher may say any size. */
export function isRead(file: MirroredFile): boolean {
  return hasContent(file) && !EMPTY.has(file.sha);
}

const NO_BYTES = new Uint8Array();
/** The names of the empty content in both of git's forms. A push has thousands of files to compare with them. */
const EMPTY = new Set([40, 64].map((length) => blobSha(NO_BYTES, '0'.repeat(length))));

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
    files.map(async (file) => ({ file, bytes: isRead(file) ? await reads(file.sha) : NO_BYTES })),
  );
  storage.transactionSync(() => {
    for (const { file, bytes } of read) {
      if (!hasContent(file)) indexDoc(sql, file, undefined, false);
      else if (bytes) {
        indexDoc(sql, file, utf8Text(bytes), true);
        sql.exec('DELETE FROM loose WHERE sha = ?', file.sha);
      } else {
        // It is missing although it was believed to be there, so ask for it.
        sql.exec('UPDATE doc SET kept = 0 WHERE sha = ?', file.sha);
        sql.exec('DELETE FROM loose WHERE sha = ?', file.sha);
      }
    }
  });
}
