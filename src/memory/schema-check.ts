/**
 * Compares a database's schema with what the migrations made. Somebody who controls the database would first
 * drop or add a trigger, so on a difference the memory serves nothing.
 */
export function schemaDifference(sql: SqlStorage, migrations: readonly string[]): string | undefined {
  const expected = new Map(
    migrations.flatMap(statements).map((statement) => [nameOf(statement), folded(statement)]),
  );
  const actual = new Map(
    sql
      .exec<{ type: string; name: string; sql: string }>(
        'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL',
      )
      .toArray()
      .filter(({ type, name }) => !(type === 'table' && OTHERS_TABLE.test(name)))
      .map(({ name, sql: text }) => [name, folded(text)]),
  );
  for (const [name, text] of expected) {
    if (!actual.has(name)) return `${name} is missing`;
    if (actual.get(name) !== text) return `${name} is not as it was made`;
  }
  for (const name of actual.keys()) if (!expected.has(name)) return `${name} does not belong here`;
  return undefined;
}

/**
 * Tables that the migrations did not make: the list of migrations, the runtime's tables, and those that FTS5
 * keeps for its virtual table.
 */
const OTHERS_TABLE = /^(?:_migration|_cf_\w+|__miniflare_\w+|log_text_(?:data|idx|docsize|config))$/;

/** Splits a migration into statements. Each ends with a semicolon before an empty line or the end. */
function statements(migration: string): string[] {
  return migration
    .replace(/^--.*$/gm, '')
    .split(/;\s*(?:\n\s*\n|$)/)
    .map((statement) => statement.trim())
    .filter(Boolean);
}

function nameOf(statement: string): string {
  const name = /^CREATE (?:UNIQUE )?(?:VIRTUAL )?(?:TABLE|INDEX|TRIGGER) (\w+)/.exec(statement)?.[1];
  if (name === undefined)
    throw new Error(`A migration holds a statement that makes nothing: ${statement.slice(0, 60)}`);
  return name;
}

function folded(statement: string): string {
  return statement.replace(/\s+/g, ' ').trim();
}
