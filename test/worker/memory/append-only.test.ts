import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { type ChainEntry, GENESIS, hashEntry } from '../../../src/core/chain.ts';
import { append, entry, inMemory, newMemory, PROGRESS, wholeLog } from './support.ts';

const REFUSED = 'memory is append-only';

/** A memory of three entries with a checkpoint at the second. */
async function filled() {
  const memory = newMemory();
  for (let n = 1; n <= 3; n++) await append(memory, entry(n));
  const log = await wholeLog(memory);
  await memory.checkpoint({ seq: 2, head: log[1]?.hash ?? '', at: 5, signature: 'signed' });
  return { memory, log };
}

const INSERT = 'INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
const values = ({ seq, file, line, idem, body, at, prev, hash }: ChainEntry) => [
  ...[seq, file, line, idem, body, at, prev, hash],
];

/** What the object itself would write next, less what is given. */
function next(log: readonly ChainEntry[], changed: Partial<ChainEntry> = {}): ChainEntry {
  const last = log.at(-1);
  const seq = (last?.seq ?? 0) + 1;
  const good = { seq, file: PROGRESS, line: seq, idem: 'new', body: '{}', at: 9 };
  const whole = { ...good, prev: last?.hash ?? GENESIS, ...changed };
  return { ...whole, hash: hashEntry(whole) };
}

describe('the log itself, in the hands of code that would change it', () => {
  it('takes what comes next, so that the refusals below are not for another reason', async () => {
    const { memory, log } = await filled();
    await inMemory(memory, (sql) => sql.exec(INSERT, ...values(next(log))).toArray());
    expect(await wholeLog(memory)).toHaveLength(4);
  });

  it.each([
    ['UPDATE of a body', "UPDATE log SET body = 'x' WHERE seq = 2"],
    ['UPDATE of a number', 'UPDATE log SET seq = 9 WHERE seq = 3'],
    ['UPDATE that changes nothing', 'UPDATE log SET body = body'],
    ['UPDATE OR IGNORE', "UPDATE OR IGNORE log SET body = 'x'"],
    ['UPDATE OR REPLACE', 'UPDATE OR REPLACE log SET seq = 1 WHERE seq = 2'],
    ['DELETE of the last', 'DELETE FROM log WHERE seq = 3'],
    ['DELETE of everything', 'DELETE FROM log'],
    ['UPDATE of a checkpoint', "UPDATE checkpoint SET head = 'x'"],
    ['DELETE of a checkpoint', 'DELETE FROM checkpoint'],
    ['an earlier checkpoint', "INSERT INTO checkpoint VALUES (1, 'h', 1, 's')"],
    ['the same checkpoint', "INSERT INTO checkpoint VALUES (2, 'h', 1, 's')"],
    ['REPLACE of a checkpoint', "INSERT OR REPLACE INTO checkpoint VALUES (2, 'h', 1, 's')"],
    [
      'UPSERT of a checkpoint',
      "INSERT INTO checkpoint VALUES (2, 'h', 1, 's') ON CONFLICT (seq) DO UPDATE SET head = 'x'",
    ],
  ])('refuses %s', async (_, statement) => {
    const { memory, log } = await filled();
    const kept = await memory.checkpoints();
    await expect(inMemory(memory, (sql) => sql.exec(statement).toArray())).rejects.toThrow(REFUSED);
    expect(await wholeLog(memory)).toEqual(log);
    expect(await memory.checkpoints()).toEqual(kept);
  });

  it.each<[string, string, Partial<ChainEntry>]>([
    ['REPLACE by seq', 'INSERT OR REPLACE INTO log', { seq: 2 }],
    ['REPLACE by line', 'INSERT OR REPLACE INTO log', { line: 2 }],
    ['REPLACE by idem', 'INSERT OR REPLACE INTO log', { idem: `${PROGRESS} 2` }],
    ['REPLACE, spelt short', 'REPLACE INTO log', { seq: 3, line: 3 }],
    ['IGNORE of a repeated idem', 'INSERT OR IGNORE INTO log', { idem: `${PROGRESS} 2` }],
    ['a gap in seq', 'INSERT INTO log', { seq: 5 }],
    ['a number before the first', 'INSERT INTO log', { seq: 0 }],
    ['a gap in seq, linked to nothing', 'INSERT INTO log', { seq: 5, prev: GENESIS }],
    ['a second beginning', 'INSERT INTO log', { seq: 0, prev: GENESIS }],
    ['a gap in line', 'INSERT INTO log', { line: 5 }],
    ['a gap in line of a new file', 'INSERT INTO log', { file: 'best_practices.md', line: 2 }],
    ['a line that is taken', 'INSERT INTO log', { line: 3 }],
    ['a fork from the first', 'INSERT INTO log', { prev: GENESIS }],
    ['a fork from nowhere', 'INSERT INTO log', { prev: 'f'.repeat(64) }],
    ['a repeated idem', 'INSERT INTO log', { idem: `${PROGRESS} 1` }],
  ])('refuses %s', async (_, verb, changed) => {
    const { memory, log } = await filled();
    const statement = INSERT.replace('INSERT INTO log', verb);
    const attack = values(next(log, changed));
    await expect(inMemory(memory, (sql) => sql.exec(statement, ...attack).toArray())).rejects.toThrow(
      REFUSED,
    );
    expect(await wholeLog(memory)).toEqual(log);
  });

  it.each(['seq', 'file, line', 'idem'])('refuses an UPSERT on (%s)', async (columns) => {
    const { memory, log } = await filled();
    const statement = `${INSERT} ON CONFLICT (${columns}) DO UPDATE SET body = 'x'`;
    // The second entry once more, which is what an upsert needs to reach it.
    const attack = values({ ...(log[1] as ChainEntry), body: 'x' });
    await expect(inMemory(memory, (sql) => sql.exec(statement, ...attack).toArray())).rejects.toThrow(
      REFUSED,
    );
    expect(await wholeLog(memory)).toEqual(log);
  });

  it('refuses a fork from nothing as the first entry', async () => {
    const memory = newMemory();
    await memory.state();
    const attack = values(next([], { prev: 'f'.repeat(64) }));
    await expect(inMemory(memory, (sql) => sql.exec(INSERT, ...attack).toArray())).rejects.toThrow(REFUSED);
  });
});

const REMADE = `BEFORE UPDATE ON log BEGIN SELECT 1; END`;
const LAME = 'BEFORE INSERT ON log BEGIN SELECT 1; END';

describe('a schema that is not as it was made', () => {
  it.each<[string, string, string]>([
    ['a dropped trigger', 'DROP TRIGGER log_is_never_changed', 'log_is_never_changed is missing'],
    ['another dropped trigger', 'DROP TRIGGER log_is_never_shortened', 'log_is_never_shortened is missing'],
    ['the third dropped', 'DROP TRIGGER log_only_grows', 'log_only_grows is missing'],
    [
      'a dropped trigger of the checkpoints',
      'DROP TRIGGER checkpoint_only_grows',
      'checkpoint_only_grows is missing',
    ],
    ['a dropped index', 'DROP INDEX log_by_line', 'log_by_line is missing'],
    [
      'a trigger made anew without its teeth',
      `DROP TRIGGER log_is_never_changed; CREATE TRIGGER log_is_never_changed ${REMADE}`,
      'log_is_never_changed is not as it was made',
    ],
    [
      'an index that is no longer unique',
      'DROP INDEX log_by_line; CREATE INDEX log_by_line ON log (file, line)',
      'log_by_line is not as it was made',
    ],
    ['an added trigger', `CREATE TRIGGER other ${LAME}`, 'other does not belong here'],
    ['an added trigger that looks private', `CREATE TRIGGER _other ${LAME}`, '_other does not belong here'],
    [
      "an added trigger named like the search's",
      `CREATE TRIGGER log_text_x ${LAME}`,
      'log_text_x does not belong here',
    ],
    [
      "an added trigger named like the runtime's tables",
      `CREATE TRIGGER __miniflare_x ${LAME}`,
      '__miniflare_x does not belong here',
    ],
    ['an added index', 'CREATE INDEX other ON log (at)', 'other does not belong here'],
    ['an added table', 'CREATE TABLE _other (a)', '_other does not belong here'],
    ['an added view', 'CREATE VIEW other AS SELECT * FROM log', 'other does not belong here'],
    ['an added column', 'ALTER TABLE log ADD COLUMN note TEXT', 'log is not as it was made'],
    ['a dropped search', 'DROP TABLE log_text', 'log_text is missing'],
  ])('locks the object: %s', async (_, attack, because) => {
    const { memory, log } = await filled();
    await inMemory(memory, (sql) => sql.exec(attack).toArray());
    await evictDurableObject(memory);
    const locked = { locked: because };
    expect(await memory.append(entry(4))).toEqual({ kind: 'locked', because });
    expect(await memory.append(entry(1))).toEqual({ kind: 'locked', because });
    expect(await memory.appendAll([entry(4)])).toEqual({ kind: 'locked', because });
    expect(await memory.read(PROGRESS, 1_000)).toEqual(locked);
    expect(await memory.lastLines(PROGRESS, 10)).toEqual(locked);
    const before = await memory.checkpoints();
    await memory.checkpoint({ seq: 3, head: 'h', at: 1, signature: 's' });
    expect(await memory.checkpoints()).toEqual(before);
    expect(await memory.state()).toMatchObject({ seq: 3, ...locked });
    const { entries, ...rest } = await memory.export(0, 1_000_000);
    expect(entries.map(({ seq, hash }) => ({ seq, hash }))).toEqual(
      log.map(({ seq, hash }) => ({ seq, hash })),
    );
    expect(rest).toEqual({ head: { seq: 3, hash: log[2]?.hash }, ...locked });
  });

  it('stays served when nothing was changed, however often it wakes', async () => {
    const { memory } = await filled();
    for (let i = 0; i < 3; i++) await evictDurableObject(memory).then(() => memory.state());
    expect(await memory.state()).toMatchObject({ seq: 3, locked: null });
  });
});
