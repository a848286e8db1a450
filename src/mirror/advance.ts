import { MAX_LACKING, PIECES, type PushAnswer } from '../core/mirror-push.ts';
import type { Blobs } from './blobs.ts';
import { indexHere, isRead } from './contents.ts';
import { lackingIn, ROWS_AHEAD, unindexedIn } from './push-pieces.ts';
import type { Switched } from './push-record.ts';
import { type PushRow, pushOf, shownBy } from './push-store.ts';
import { switchTo } from './switch-commit.ts';

const INDEXED_AT_ONCE = 32;

/**
 * Continues a push as far as possible. Lists what it lacks, or shows its commit. A push that comes in pieces is asked
 * for another request before one has read more contents than a plan lets it read.
 */
export async function advance(
  storage: DurableObjectStorage,
  blobs: Blobs,
  id: string,
  now: () => number,
  switched: (what: Switched) => void,
): Promise<PushAnswer> {
  const { sql } = storage;
  for (let reads = 0; ; ) {
    const push = pushOf(sql, id);
    if (!push) return shownBy(sql, id) ?? { kind: 'unknown_push' };
    const open = { kind: 'open', id, next: push.pieces, ready: push.ready, rows: push.rows } as const;
    if (!push.complete) return { ...open, lacking: [] };
    const lacking = lackingOf(sql, push);
    if (lacking.length > 0) return { ...open, lacking };
    if (push.ready >= push.rows) return storage.transactionSync(() => switchTo(sql, id, now(), switched));
    const batch = unindexedIn(sql, id, push.ready, INDEXED_AT_ONCE);
    if (batch.length === 0) {
      sql.exec('UPDATE push SET ready = max(ready, ?) WHERE id = ?', push.ready + 1, id);
      continue;
    }
    if (push.name !== null && reads + INDEXED_AT_ONCE > PIECES.reads) return { ...open, lacking: [] };
    reads += batch.filter(isRead).length;
    await indexHere(storage, blobs, batch);
  }
}

/**
 * Lists contents that the next row of a push names and the bucket lacks, and if there are any, those of a few more rows:
 * as many as one request may bring.
 */
function lackingOf(sql: SqlStorage, { id, name, ready, rows }: PushRow): string[] {
  const limit = name === null ? MAX_LACKING : PIECES.contents;
  const lacking = new Set<string>();
  for (let row = ready; row < Math.min(rows, ready + ROWS_AHEAD) && lacking.size < limit; row++) {
    for (const sha of lackingIn(sql, id, row, limit)) if (lacking.size < limit) lacking.add(sha);
    if (lacking.size === 0) break;
  }
  return [...lacking];
}
