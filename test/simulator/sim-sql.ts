import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { LinkSql } from '../../src/machines/link-ports.ts';

const folder = new URL('../../migrations/machines/', import.meta.url);
const schema = readdirSync(folder)
  .sort()
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

const TABLES = ['machine', 'call', 'piece'] as const;

/** A database with the object's own schema, in whose place it stands: turns commit whole or not at all. */
export class SimSql implements LinkSql {
  readonly #database = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();

  constructor() {
    this.#database.exec(schema);
  }

  exec<Row extends Record<string, string | number | null | ArrayBuffer>>(
    query: string,
    ...bindings: (string | number | null | ArrayBuffer)[]
  ): { toArray(): Row[] } {
    let statement = this.#statements.get(query);
    if (!statement) {
      statement = this.#database.prepare(query);
      this.#statements.set(query, statement);
    }
    const values = bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
    // The runtime runs what it is given whether or not anybody reads the rows.
    const rows = statement.all(...values).map((row) => {
      for (const [name, value] of Object.entries(row)) {
        if (value instanceof Uint8Array) row[name] = value.slice().buffer as never;
      }
      return row as Row;
    });
    return { toArray: () => rows };
  }

  begin(): void {
    this.exec('BEGIN');
  }

  commit(): void {
    this.exec('COMMIT');
  }

  rollback(): void {
    this.exec('ROLLBACK');
  }

  /** Keeps everything as it is now, and gives what puts it back. */
  backUp(): () => void {
    const kept = TABLES.map((table) => ({ table, rows: this.exec(`SELECT * FROM ${table}`).toArray() }));
    return () => {
      this.reset();
      for (const { table, rows } of kept) {
        for (const row of rows) {
          const values = Object.values(row);
          this.exec(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, ...values);
        }
      }
    };
  }

  /** Empties it for the next seed; making one anew costs more than a whole simulation. */
  reset(): void {
    for (const table of TABLES) this.exec(`DELETE FROM ${table}`);
  }
}
