import { dropOldDocs } from './index-text.ts';
import { dropPush } from './push-store.ts';

export const DAY_MS = 86_400_000;
/** The time for which a delivery is remembered. It is longer than GitHub offers to send it again. */
const DELIVERY_MS = 40 * DAY_MS;
/** The most contents that a bucket deletes in one request. */
const MAX_AT_ONCE = 1_000;

/**
 * Finds contents that nothing names any more, and gives those whose day is over. It removes their rows before they are
 * deleted, so that a push in between sends them again.
 */
export function takeOldBlobs(sql: SqlStorage, now: number): string[] {
  for (const { id } of sql.exec<{ id: string }>('SELECT id FROM push WHERE at < ?', now - DAY_MS).toArray())
    dropPush(sql, id);
  sql.exec('DELETE FROM delivery WHERE at < ?', now - DELIVERY_MS);
  dropOldDocs(sql, now);
  // What a push under way names has its day begin anew.
  sql.exec('UPDATE loose SET since = ? WHERE sha IN (SELECT sha FROM staged WHERE sha IS NOT NULL)', now);
  const old = sql
    .exec<{ sha: string }>('SELECT sha FROM loose WHERE since <= ? LIMIT ?', now - DAY_MS, MAX_AT_ONCE)
    .toArray()
    .map(({ sha }) => sha);
  for (const sha of old) sql.exec('DELETE FROM loose WHERE sha = ?', sha);
  return old;
}

/** Gives the time when there will be something to sweep; `undefined` if the mirrored commit names everything stored. */
export function nextSweep(sql: SqlStorage, now: number): number | undefined {
  const { loose } = sql.exec<{ loose: number | null }>('SELECT min(since) AS loose FROM loose').one();
  const { opened } = sql.exec<{ opened: number | null }>('SELECT min(at) AS opened FROM push').one();
  const oldest = Math.min(loose ?? Number.POSITIVE_INFINITY, opened ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(oldest) ? Math.max(oldest + DAY_MS, now + 1_000) : undefined;
}
