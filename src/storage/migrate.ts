import type { Database } from './sql.ts';

/** One step of a schema's history. Once released it is never edited, only followed by another. */
interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Brings an object's database up to date. Each step happens whole or not at all. */
export function migrate(storage: Database, migrations: readonly Migration[]): void {
  const { sql } = storage;
  sql.exec('CREATE TABLE IF NOT EXISTS _migration (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT');
  const applied = new Set(
    sql
      .exec<{ name: string }>('SELECT name FROM _migration')
      .toArray()
      .map((row) => row.name),
  );
  for (const { name, sql: step } of migrations) {
    if (applied.has(name)) continue;
    storage.transactionSync(() => {
      sql.exec(step);
      sql.exec('INSERT INTO _migration (name, at) VALUES (?, ?)', name, Date.now());
    });
  }
}
