import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { checkDatabases, noteDatabases } from '../../../local-bridge/local/up/check-state.ts';
import { lostChanges } from '../../../local-bridge/local/up/lost-changes.ts';

/** Gives a state folder with one database, as a gateway leaves it that was killed after `act`. */
function killedAfter(act: (database: DatabaseSync) => void, pageSize = 4_096) {
  const base = mkdtempSync(join(tmpdir(), 'bowline-log-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join('gateway', 'v3', 'do', 'objects');
  const [running, state] = [join(base, 'running'), join(base, 'state')];
  mkdirSync(join(running, folder), { recursive: true });
  const database = new DatabaseSync(join(running, folder, 'one.sqlite'));
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; CREATE TABLE rules (rule TEXT)`);
  act(database);
  // The last to close it would put everything into the database.
  cpSync(running, state, { recursive: true });
  database.close();
  const path = join(state, folder, 'one.sqlite');
  return { state, path, log: `${path}-wal` };
}

const add = (database: DatabaseSync) => {
  for (let i = 0; i < 20; i++) database.exec(`INSERT INTO rules VALUES ('${'deny '.repeat(200)}${i}')`);
};
const rulesIn = (path: string) => {
  const database = new DatabaseSync(path);
  try {
    return database.prepare('SELECT count(*) AS rules FROM rules').get()?.rules;
  } finally {
    database.close();
  }
};

it.each([512, 4_096, 65_536])('finds a log of pages of %i bytes complete after a kill', (pageSize) => {
  const { state, path } = killedAfter(add, pageSize);
  expect(lostChanges(path)).toBeUndefined();
  expect(() => checkDatabases(state)).not.toThrow();
  expect(rulesIn(path)).toBe(20);
});

it.each([
  ['missing', (log: string) => rmSync(log), 'it is missing, and with it the last changes'],
  ['empty', (log: string) => truncateSync(log, 0), 'it is empty'],
  ['one byte short', (log: string) => truncateSync(log, readFileSync(log).length - 1), 'not hold all'],
  ['half', (log: string) => truncateSync(log, Math.floor(readFileSync(log).length / 2)), 'not hold all'],
  [
    'garbage',
    (log: string) => writeFileSync(log, 'garbage\n'.repeat(readFileSync(log).length / 8 + 1)),
    'not hold all',
  ],
  [
    'different in one bit in its middle',
    (log: string) => {
      const bytes = readFileSync(log);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(log, bytes);
    },
    'not hold all',
  ],
])('refuses a database whose log is %s, names the log, and leaves all as it is', (_, spoil, why) => {
  const { state, path, log } = killedAfter(add);
  noteDatabases(state);
  const kept = readFileSync(log);
  spoil(log);
  expect(() => checkDatabases(state)).toThrow(`${log} is damaged: `);
  // A second start must not take what is left for all that there was.
  expect(() => checkDatabases(state)).toThrow(why);
  writeFileSync(log, kept);
  expect(() => checkDatabases(state)).not.toThrow();
  expect(rulesIn(path)).toBe(20);
});

it('refuses the log of an earlier time', () => {
  const older: { log?: Buffer } = {};
  const { state, log } = killedAfter((database) => {
    add(database);
    older.log = readFileSync(`${database.location()}-wal`);
    database.exec('PRAGMA wal_checkpoint(RESTART)');
    add(database);
  });
  writeFileSync(log, older.log ?? '');
  expect(() => checkDatabases(state)).toThrow(`${log} is damaged: it does not hold all of the last changes`);
});

it('needs no log for what the database itself has', () => {
  const { state, path, log } = killedAfter((database) => {
    add(database);
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  });
  rmSync(log);
  expect(() => checkDatabases(state)).not.toThrow();
  expect(rulesIn(path)).toBe(20);
});

it.each([
  ['cut off', (index: string) => truncateSync(index, 99)],
  ['garbage', (index: string) => writeFileSync(index, 'garbage\n'.repeat(4_096))],
  ['missing', (index: string) => rmSync(index)],
  [
    'different in one bit of both its headers',
    (index: string) => {
      const bytes = readFileSync(index);
      for (const at of [16, 48 + 16]) bytes[at] = (bytes[at] ?? 0) ^ 64;
      writeFileSync(index, bytes);
    },
  ],
])('believes no index that is %s, because SQLite makes a new one from the log', (_, spoil) => {
  const { state, path } = killedAfter(add);
  spoil(`${path}-shm`);
  expect(() => checkDatabases(state)).not.toThrow();
  expect(rulesIn(path)).toBe(20);
});
