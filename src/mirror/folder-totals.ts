import type { Sql } from '../storage/sql.ts';

/** Gives the number of files in a folder and all its subfolders. */
export function filesBelow(sql: Sql, folder: string): number {
  return (
    sql.exec<{ files: number }>('SELECT files FROM folder WHERE path = ?', folder).toArray()[0]?.files ?? 0
  );
}

/** Takes files that came and went into the folders' totals, in the caller's one transaction. */
export function countFolders(sql: Sql, came: readonly string[], went: readonly string[]): void {
  const changes = new Map<string, number>();
  const add = (path: string, change: number) => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      changes.set(folder, (changes.get(folder) ?? 0) + change);
    }
  };
  for (const path of came) add(path, 1);
  for (const path of went) add(path, -1);
  for (const [folder, change] of changes) {
    if (change === 0) continue;
    sql.exec(
      'INSERT INTO folder VALUES (?, ?) ON CONFLICT DO UPDATE SET files = files + excluded.files',
      folder,
      change,
    );
    if (change < 0) sql.exec('DELETE FROM folder WHERE path = ? AND files = 0', folder);
  }
}
