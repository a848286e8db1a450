/** The value of a SQLite column. */
export type SqlValue = ArrayBuffer | string | number | null;

export interface SqlRows<T> extends Iterable<T> {
  toArray(): T[];
  /** The number of rows that the statement changed. */
  readonly rowsWritten: number;
  /** Gives the only row; throws if there is none or more than one. */
  one(): T;
}

/** The part of a Durable Object's SQL that Bowline uses, so that the same functions run over SQLite in Node. */
export interface Sql {
  exec<T extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): SqlRows<T>;
}

/** A database, and a way to do several things in it or none. */
export interface Database {
  readonly sql: Sql;
  transactionSync<T>(work: () => T): T;
}
