import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_LENGTH } from '../support/at-length.ts';
import { memoryUp, PROGRESS } from '../support/memory-up.ts';

const { home, state, start, stop, restart, memory, verdict } = memoryUp();
beforeAll(start);
afterAll(stop);

describe('the database itself', () => {
  /** The files of the memory's database: the one that knows the log. */
  const files = () => {
    const folder = join(state, 'gateway', 'v3', 'do');
    const all = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name, parentPath }) => parentPath.includes('MemoryLog') && name.endsWith('.sqlite'))
      .map(({ name, parentPath }) => join(parentPath, name));
    return all.filter((path) => /^[0-9a-f]{64}\.sqlite$/.test(path.split('/').at(-1) ?? ''));
  };
  const database = () => {
    const [path, ...more] = files();
    if (!path || more.length > 0) throw new Error(`expected one database, got ${files()}`);
    return path;
  };
  const inDatabase = (statements: string) => {
    const db = new DatabaseSync(database());
    db.exec(statements);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  };
  const trigger = (name: string) => {
    const db = new DatabaseSync(database());
    const row = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name) as { sql: string };
    db.close();
    return row.sql;
  };
  /** Puts a copy in the database's place, and nothing of the other beside it. */
  const putBack = (copy: string) => {
    inDatabase('SELECT 1');
    copyFileSync(copy, database());
  };
  /** What is found after the database was worked on while its gateway was down. */
  const verdictAfter = async (work: () => void) => {
    await restart(work);
    return verdict();
  };
  const backup = join(home, 'backup.sqlite');
  const older = join(home, 'older.sqlite');

  it('is kept over a restart', async () => {
    await memory('append', PROGRESS, '{"n":1}');
    await memory('append', PROGRESS, '{"n":2}');
    const before = await verdict();
    const now = await verdictAfter(() => {
      inDatabase('SELECT 1');
      copyFileSync(database(), older);
    });
    expect(now).toEqual(before);
  });

  it('with a row changed behind its triggers, which are put back, is caught by the chain', async () => {
    await memory('append', PROGRESS, '{"n":"after the copy"}');
    expect((await verdict()).code).toBe(0);
    const { code, problems } = await verdictAfter(() => {
      inDatabase('SELECT 1');
      copyFileSync(database(), backup);
      const sql = trigger('log_is_never_changed');
      inDatabase(
        `DROP TRIGGER log_is_never_changed; UPDATE log SET body = '{"n":"lie"}' WHERE seq = 2; ${sql};`,
      );
    });
    expect([code, problems[0]]).toEqual([
      1,
      `Entry 2 (${PROGRESS}, line 2): its content does not match its hash.`,
    ]);
  });

  it.runIf(AT_LENGTH)('with a trigger gone is not served, and verify says which', async () => {
    const { code, problems } = await verdictAfter(() => {
      putBack(backup);
      inDatabase('DROP TRIGGER log_only_grows');
    });
    expect([code, problems]).toEqual([1, ['The gateway refuses to serve: log_only_grows is missing.']]);
    const refused = await memory('append', PROGRESS, '{"n":9}');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('log_only_grows is missing')]);
    expect((await memory('tail', PROGRESS)).code).toBe(1);
    expect((await memory('export', join(home, 'export'))).code).toBe(0);
  });

  it('set back to an older copy is given away by what this computer saw', async () => {
    const { code, problems } = await verdictAfter(() => putBack(older));
    expect(code).toBe(1);
    expect(problems[0]).toMatch(/The log was cut or restored\.$/);
    // And still when it has grown to the same length another way.
    await memory('append', PROGRESS, '{"n":"another history"}');
    expect((await verdict()).problems[0]).toMatch(/than this computer saw\. The log was rewritten\.$/);
  });

  it.runIf(AT_LENGTH)('put back as it was is whole again', async () => {
    expect((await verdictAfter(() => putBack(backup))).problems).toEqual([]);
  });
});
