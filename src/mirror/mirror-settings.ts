import type { MirrorSettings } from '../core/mirror-push.ts';
import { isMirrored, OPEN_BY_DEFAULT, openInBoth } from '../core/path-policy.ts';
import { countFolders } from './folder-totals.ts';
import type { Switched } from './push-record.ts';

/** Gives what the owner opened and allowed, or Bowline's defaults. */
export function settingsOf(sql: SqlStorage): MirrorSettings {
  const row = sql
    .exec<{ open: string; allowed_secrets: string }>('SELECT open, allowed_secrets FROM setting')
    .toArray()[0];
  return row
    ? { open: JSON.parse(row.open), allowedSecrets: JSON.parse(row.allowed_secrets) }
    : { open: OPEN_BY_DEFAULT, allowedSecrets: [] };
}

/**
 * Stores the owner's settings. In the same transaction, what is no longer open leaves the mirror, with every push in
 * progress. What is newly open comes with the next push.
 */
export function changeSettings(sql: SqlStorage, { open, allowedSecrets }: MirrorSettings): Switched {
  sql.exec(
    'INSERT OR REPLACE INTO setting VALUES (1, ?, ?)',
    JSON.stringify(open),
    JSON.stringify(allowedSecrets),
  );
  sql.exec('DELETE FROM piece');
  sql.exec('DELETE FROM push');
  const mirrored = sql.exec<{ open: string }>('SELECT open FROM mirror').toArray()[0];
  if (!mirrored) return { changed: [], listChanged: false };
  const closed: string[] = [];
  for (const { path } of sql.exec<{ path: string }>('SELECT path FROM file').toArray())
    if (!isMirrored(path, { open })) closed.push(path);
  for (const path of closed) sql.exec('DELETE FROM file WHERE path = ?', path);
  countFolders(sql, [], closed);
  sql.exec(
    `UPDATE mirror SET open = ?, files = (SELECT count(*) FROM file),
     bytes = (SELECT CAST(total(size) AS INTEGER) FROM file)`,
    JSON.stringify(openInBoth(open, JSON.parse(mirrored.open) as string[])),
  );
  return { changed: closed.slice(0, MAX_NAMED), listChanged: closed.length > 0 };
}

/** Beyond this number, followers do not hear the files' names. */
const MAX_NAMED = 100;
