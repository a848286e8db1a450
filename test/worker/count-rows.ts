import type { Sql, SqlValue } from '../../src/storage/sql.ts';

/** Counts the rows that a database reads and writes in what runs over this `Sql`. */
export function countingRows(sql: SqlStorage): Sql & { read(): number; written(): number } {
  let [read, written] = [0, 0];
  return {
    read: () => read,
    written: () => written,
    exec: <T extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]) => {
      const cursor = sql.exec<T>(query, ...bindings);
      const rows = cursor.toArray();
      read += cursor.rowsRead;
      written += cursor.rowsWritten;
      return Object.assign(rows, {
        toArray: () => rows,
        rowsWritten: cursor.rowsWritten,
        one: () => {
          const [row] = rows;
          if (!row) throw new Error('no row');
          return row;
        },
      });
    },
  };
}
