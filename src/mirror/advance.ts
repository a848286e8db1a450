import { hasContent, MAX_FILE_BYTES, utf8Text } from '../core/git-blob.ts';
import type { PushAnswer } from '../core/mirror-push.ts';
import type { Blobs } from './blobs.ts';
import { indexDoc } from './index-text.ts';
import type { Switched } from './push-record.ts';
import { lackingOf, pushOf, switchTo, unindexed } from './push-store.ts';

/** A content that is now in the bucket, with its text if it has one. */
export interface Arrived {
  readonly sha: string;
  readonly text?: string;
}

const INDEXED_AT_ONCE = 32;

/** Continues a push as far as possible. Lists what it lacks, or shows its commit. */
export async function advance(
  storage: DurableObjectStorage,
  blobs: Blobs,
  id: string,
  now: () => number,
  switched: (what: Switched) => void,
): Promise<PushAnswer> {
  const { sql } = storage;
  for (;;) {
    const push = pushOf(sql, id);
    if (!push) return { kind: 'unknown_push' };
    if (!push.complete) return { kind: 'open', id, lacking: [] };
    const lacking = lackingOf(sql, id, MAX_FILE_BYTES);
    if (lacking.length > 0) return { kind: 'open', id, lacking };
    const batch = unindexed(sql, id, INDEXED_AT_ONCE);
    if (batch.length === 0) return storage.transactionSync(() => switchTo(sql, id, now(), switched));
    await indexBatch(storage, blobs, batch);
  }
}

/** Takes in new contents, with the text that was read while they arrived. */
export function takeArrived(sql: SqlStorage, id: string, arrived: readonly Arrived[]): void {
  for (const { sha, text } of arrived) {
    sql.exec('INSERT INTO blob VALUES (?, NULL) ON CONFLICT DO UPDATE SET loose_since = NULL', sha);
    const paths = sql
      .exec<{ path: string }>('SELECT path FROM staged WHERE sha = ? AND push = ?', sha, id)
      .toArray();
    for (const { path } of paths) indexDoc(sql, { path, sha }, text);
  }
}

type Batch = ReturnType<typeof unindexed>;

/** Indexes contents that were here before. They must be read again to be found at another path. */
async function indexBatch(storage: DurableObjectStorage, blobs: Blobs, batch: Batch): Promise<void> {
  const read = await Promise.all(
    batch.map(async (file) => ({
      file,
      bytes: hasContent(file) ? await blobs.get(file.sha) : new Uint8Array(),
    })),
  );
  storage.transactionSync(() => {
    for (const { file, bytes } of read) {
      if (bytes) indexDoc(storage.sql, file, utf8Text(bytes));
      // It is missing although it was believed to be there, so ask for it.
      else storage.sql.exec('DELETE FROM blob WHERE sha = ?', file.sha);
    }
  });
}
