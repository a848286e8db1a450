import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Database, Sql, SqlRows, SqlValue } from '../../../src/storage/sql.ts';

/** SQLite in a file, which behaves like a Durable Object's. Several processes may have it open. */
export interface FileDatabase extends Database {
  /** Gives the used size of the file. */
  usedBytes(): number;
  /** Gives a number that changes whenever another process has written. */
  version(): number;
  close(): void;
}

const USED = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`;

export function openDatabase(path: string): FileDatabase {
  const file = new DatabaseSync(path, { timeout: 10_000 });
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const statements = new Map<string, StatementSync>();
  const prepared = (query: string): StatementSync => {
    const statement = statements.get(query) ?? file.prepare(query);
    statements.set(query, statement);
    return statement;
  };
  const sql: Sql = {
    exec: <T extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]) => {
      // A script of several statements takes no values and gives no rows. `prepare` would drop all but the
      // first.
      if (bindings.length === 0 && !/^\s*(?:SELECT|PRAGMA)\b/i.test(query)) {
        file.exec(query);
        return rowsOf<T>([], changesIn(file));
      }
      const rows = prepared(query).all(...bindings.map(asBinding)) as T[];
      return rowsOf(rows, changesIn(file));
    },
  };
  let depth = 0;
  return {
    sql,
    transactionSync: (work) => {
      // A nested transaction joins the outer one, because its callers never catch a failure inside.
      if (depth > 0) return work();
      // Writers in other processes wait here instead of failing halfway.
      file.exec('BEGIN IMMEDIATE');
      depth += 1;
      try {
        const result = work();
        file.exec('COMMIT');
        return result;
      } catch (error) {
        file.exec('ROLLBACK');
        throw error;
      } finally {
        depth -= 1;
      }
    },
    usedBytes: () => Number(prepared(USED).get()?.bytes),
    version: () => Number(prepared('PRAGMA data_version').get()?.data_version),
    close: () => file.close(),
  };
}

function rowsOf<T>(rows: readonly T[], rowsWritten: number): SqlRows<T> {
  return {
    rowsWritten,
    toArray: () => [...rows],
    one: () => {
      const [row] = rows;
      if (rows.length !== 1 || row === undefined) throw new Error(`Expected one row, got ${rows.length}`);
      return row;
    },
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
}

function changesIn(file: DatabaseSync): number {
  return Number(file.prepare('SELECT changes() AS n').get()?.n);
}

function asBinding(value: SqlValue) {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}
