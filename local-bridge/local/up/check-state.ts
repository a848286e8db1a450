import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { CliError } from '../../lib/exit.ts';
import { jsonOrNothing, readIfThere, writePrivate } from '../../lib/private-file.ts';
import { lostChanges } from './lost-changes.ts';

/** A database that is larger is only opened, and not read whole: that would delay each start. */
const READ_WHOLE_BYTES = 64 * 1024 * 1024;
const listShape = z.array(z.string());

/**
 * Refuses to start on databases that are missing, cut off or damaged. The runtime would make new ones in their place, and
 * the gateway would begin again without rules, or without the memory, and without a word.
 */
export function checkDatabases(stateFolder: string): void {
  const known = listShape.safeParse(jsonOrNothing(readIfThere(listIn(stateFolder)) ?? '')).data ?? [];
  const here = databasesIn(stateFolder);
  for (const name of new Set([...known, ...here])) {
    const path = join(stateFolder, name);
    const lost = lostChanges(path);
    if (lost) throw damaged(lost.path, lost.why, stateFolder);
    const wrong = existsSync(path) ? damageOf(path, known.includes(name)) : 'it is missing';
    if (wrong !== undefined) throw damaged(path, wrong, stateFolder);
  }
}

/** Notes which databases there are, for the next start. */
export function noteDatabases(stateFolder: string): void {
  writePrivate(listIn(stateFolder), `${JSON.stringify(databasesIn(stateFolder), null, 2)}\n`);
}

/** Says what to do about a damaged file of the state folder. */
export function damaged(path: string, why: string, stateFolder: string): CliError {
  return new CliError(
    `${path} is damaged: ${why}.`,
    `Put back a copy of ${stateFolder} that you made, or restore a backup (docs/backup.md). Rules, settings and keys of the last days are in ${join(stateFolder, 'backups')}.`,
  );
}

function damageOf(path: string, isKnown: boolean): string | undefined {
  // SQLite removes the log of an empty database, with all that only the log holds, and begins anew.
  if (statSync(path).size === 0) return isKnown || hasLog(path) ? 'it is empty' : undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    const check = statSync(path).size > READ_WHOLE_BYTES ? 'schema_version' : 'quick_check(1)';
    const [row] = database.prepare(`PRAGMA ${check}`).all();
    const said = Object.values(row ?? {})[0];
    return check === 'schema_version' || said === 'ok' ? undefined : String(said);
  } catch (error) {
    return errorText(error);
  } finally {
    database?.close();
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function databasesIn(stateFolder: string): string[] {
  return globSync('gateway/v3/*/*/*.sqlite', { cwd: stateFolder }).toSorted();
}

function listIn(stateFolder: string): string {
  return join(stateFolder, 'databases.json');
}
