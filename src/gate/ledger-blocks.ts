import type { Sql } from '../storage/sql.ts';

/** The calls of a block. Changing it needs a migration. */
const SIZE = 200;

/** The conditions by which blocks are found. */
interface Named {
  readonly tool?: string | undefined;
  readonly client?: string | undefined;
  readonly principal?: string | undefined;
  readonly machine?: string | null | undefined;
}

/** Records the names that occur in the calls of a block, once its last call is recorded. */
export function closeBlock(sql: Sql, seq: number): void {
  if (seq % SIZE !== SIZE - 1) return;
  const names = new Set<string>();
  const calls = sql.exec<{ tool: string; client: string; principal: string; machine: string | null }>(
    'SELECT tool, client, principal, machine FROM call WHERE seq > ? AND seq <= ?',
    seq - SIZE,
    seq,
  );
  for (const call of calls) for (const name of namesOf(call)) names.add(name);
  sql.exec(
    'INSERT OR REPLACE INTO ledger_block VALUES (?, ?)',
    Math.floor(seq / SIZE),
    `\n${[...names].join('\n')}\n`,
  );
}

/** Gives the numbers of the next block below `top` that may hold a match; `undefined` if none may. */
export function blockBelow(sql: Sql, asked: Named, top: number): { from: number; top: number } | undefined {
  const block = Math.floor((top - 1) / SIZE);
  const names = namesOf(asked);
  if (names.length === 0 || block > lastClosed(sql)) return { from: block * SIZE, top };
  const holds = names.map(() => 'AND instr(names, ?) > 0').join(' ');
  const [found] = sql
    .exec<{ block: number }>(
      `SELECT block FROM ledger_block WHERE block <= ? ${holds} ORDER BY block DESC LIMIT 1`,
      block,
      ...names.map((name) => `\n${name}\n`),
    )
    .toArray();
  return found && { from: found.block * SIZE, top: Math.min(top, (found.block + 1) * SIZE) };
}

function lastClosed(sql: Sql): number {
  const [last] = sql
    .exec<{ block: number }>('SELECT block FROM ledger_block ORDER BY block DESC LIMIT 1')
    .toArray();
  return last?.block ?? -1;
}

function namesOf({ tool, client, principal, machine }: Named): string[] {
  const names: [string, string | null | undefined][] = [
    ['t', tool],
    ['c', client],
    ['p', principal],
    ['m', machine],
  ];
  return names.flatMap(([kind, name]) => (name === undefined || name === null ? [] : `${kind} ${name}`));
}
