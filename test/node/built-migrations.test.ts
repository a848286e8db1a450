import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { withoutComments } from '../../scripts/build-worker.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations');
const squeezed = (sql: unknown) => withoutComments(String(sql)).replaceAll(/\s+/g, ' ');

/** What stands in a database after all migrations of a folder: kinds, names and statements, without comments. */
function schemaAfter(folder: string, textOf: (sql: string) => string) {
  const database = new DatabaseSync(':memory:');
  for (const path of globSync('*.sql', { cwd: join(MIGRATIONS, folder) }).toSorted())
    database.exec(textOf(readFileSync(join(MIGRATIONS, folder, path), 'utf8')));
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  database.close();
  return rows.map(({ type, name, sql }) => [type, name, squeezed(sql)]);
}

describe('the migrations in the built Worker, which have no comments', () => {
  it.each(['auth', 'gate', 'machines', 'memory', 'mirror'])('make the same schema: %s', (folder) => {
    const built = schemaAfter(folder, withoutComments);
    expect(built.length).toBeGreaterThan(1);
    expect(built).toEqual(schemaAfter(folder, (sql) => sql));
  });

  it('lose whole lines alone', () => {
    const sql = "-- One.\nCREATE TABLE a (\n  -- Two.\n  b TEXT DEFAULT '--' -- three\n);\n";
    expect(withoutComments(sql)).toBe("CREATE TABLE a (\n  b TEXT DEFAULT '--' -- three\n);\n");
  });
});
