import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyArchive } from '../../../local-bridge/cli/ledger/verify.ts';
import type { FileDatabase } from '../../../local-bridge/local/gate/node-database.ts';
import { archiveText, sha256Hex } from '../../../src/core/ledger-archive.ts';
import { signerOf } from '../../../src/core/signing.ts';
import type { LedgerFilter } from '../../../src/gate/ledger.ts';
import { restoreCalls } from '../../../src/gate/restored-ledger.ts';
import {
  allPages,
  archiveOf,
  DAY,
  downFrom,
  KeptFiles,
  liveCalls,
  newDatabase,
  seqs,
  writeCalls,
} from '../../support/ledger-archive.ts';

const MINUTE = 60_000;
const NOW = 1_800_000_000_000;
const newKey = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

let database: FileDatabase;
let store: KeptFiles;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  database = newDatabase();
  store = new KeptFiles();
  return () => vi.useRealTimers();
});

const live = () => liveCalls(database);
const verified = async (archive = archiveOf(database, store)) =>
  (await verifyArchive(archive, undefined)).problems;

describe('what was moved out', () => {
  it('is paged through like the rest, by every filter', async () => {
    writeCalls(database, 100, NOW - 2 * DAY);
    writeCalls(database, 13, NOW);
    const archive = archiveOf(database, store);
    const filters: LedgerFilter[] = [
      ...[{}, { tool: 'hello' }, { principal: 'bob' }, { client: 'Codex' }, { machine: 'mini' }],
      ...[{ outcome: 'ok' }, { outcome: 'failed' }, { outcome: 'running' }, { outcome: 'asked' }],
      ...[{ since: NOW - 2 * DAY - 50 * MINUTE }, { until: NOW - 2 * DAY - 50 * MINUTE }, { tool: 'none' }],
      ...[{ since: NOW - 2 * DAY - 90 * MINUTE, until: NOW - 2 * DAY - 50 * MINUTE, principal: 'ada' }],
    ];
    const before = await Promise.all(filters.map((filter) => allPages(archive, filter)));
    await archive.makeRoom(100);
    expect(live()).toBe(13);
    for (const [i, filter] of filters.entries())
      expect(await allPages(archive, filter), JSON.stringify(filter)).toEqual(before[i]);
    expect(await archive.call(77)).toEqual({ ...before[0]?.find(({ seq }) => seq === 77), result: null });
    expect(await archive.call(114)).toBe(null);
  });

  it('is read a few pieces at a time, however rare what is looked for', async () => {
    writeCalls(database, 200, NOW - 2 * DAY);
    const archive = archiveOf(database, store);
    await archive.makeRoom(100);
    let fetched = 0;
    const counting = {
      put: store.put.bind(store),
      get: async (name: string) => {
        fetched += 1;
        return store.get(name);
      },
    };
    const page = await archiveOf(database, counting).page({ tool: 'none' });
    expect([page.entries, page.next, fetched]).toEqual([[], 121, 8]);
  });

  it('is followed by what came with a backup, which is moved out as well and comes in once', async () => {
    writeCalls(database, 25, NOW - 2 * DAY);
    const old = (await allPages(archiveOf(database, store))).map((call) => ({ ...call, seq: call.seq - 26 }));
    restoreCalls(database.sql, old.slice(0, 15));
    await archiveOf(database, store).makeRoom(1);
    // The restore was broken off, and begins anew.
    for (let i = 0; i < old.length; i += 5)
      expect(restoreCalls(database.sql, old.slice(i, i + 5)).refused).toBe(null);
    const expected = [...downFrom(25), ...seqs(old)];
    expect(seqs(await allPages(archiveOf(database, store)))).toEqual(expected);
    await archiveOf(database, store).makeRoom(100);
    expect(seqs(await allPages(archiveOf(database, store)))).toEqual(expected);
    expect(await verified()).toEqual([]);
    expect(database.sql.exec('SELECT * FROM restored_call WHERE 1 = ?', 1).toArray()).toEqual([]);
  });

  it('is said to be missing where it was changed or is gone, and the rest is shown', async () => {
    writeCalls(database, 41, NOW - 2 * DAY);
    const archive = archiveOf(database, store);
    await archive.makeRoom(100);
    const [first = '', second = '', third = ''] = [...store.files.keys()];
    store.files.set(first, store.files.get(second) ?? new Uint8Array());
    store.files.delete(third);
    const reader = archiveOf(database, store);
    const page = await reader.page({ limit: 200 });
    expect(seqs(page.entries)).toEqual([41, ...downFrom(40).slice(0, 10), ...downFrom(20).slice(0, 10)]);
    expect(page.missing).toEqual([
      'Calls 21 to 30: it is gone or damaged.',
      'Calls 1 to 10: its calls do not match its hash.',
    ]);
    expect(await verified()).toEqual([
      'Piece 1 (calls 1 to 10): its calls do not match its hash.',
      'Piece 3 (calls 21 to 30): it is gone or damaged.',
    ]);
  });
});

describe('the archive is signed', () => {
  it('with a key that the database does not hold, and verified against what was seen before', async () => {
    writeCalls(database, 31, NOW - 2 * DAY);
    const signer = signerOf(newKey());
    const archive = archiveOf(database, store, { signer });
    await archive.makeRoom(2);
    const seen = await verifyArchive(archive, undefined);
    expect(seen).toMatchObject({ pieces: 2, calls: 20, signed: 2, problems: [] });
    const witness = { seq: 2, head: seen.head, key: seen.key, signed: 2 };
    await archive.makeRoom(100);
    expect(await verifyArchive(archive, witness)).toMatchObject({ pieces: 3, signed: 3, problems: [] });
    const cut = { ...archive, pieces: async () => ({ ...(await archive.pieces(3)), lowest: 1 }) };
    expect((await verifyArchive({ file: async () => null, pieces: cut.pieces }, witness)).problems).toEqual([
      'There are 0 pieces, but this computer has already seen 2.',
    ]);
    const other = archiveOf(database, store, { signer: signerOf(newKey()) });
    expect((await verifyArchive(other, witness)).problems).toHaveLength(4);
    expect((await verifyArchive(archive, { ...witness, head: 'x' })).problems).toEqual([
      'Piece 2 (calls 11 to 20): it is not the one that this computer saw, so somebody replaced it.',
    ]);
  });

  it('so that no part of what is said about a piece can be changed', async () => {
    writeCalls(database, 31, NOW - 2 * DAY);
    const archive = archiveOf(database, store, { signer: signerOf(newKey()) });
    await archive.makeRoom(100);
    const { pieces, ...rest } = await archive.pieces(0);
    for (const [i, piece] of pieces.entries()) {
      for (const [name, value] of Object.entries(piece)) {
        const changed = { ...piece, [name]: typeof value === 'number' ? value + 1 : 'A'.repeat(86) };
        const all = pieces.with(i, changed);
        const source = {
          pieces: async (after: number) => ({ ...rest, pieces: all.slice(after) }),
          file: (number: number) => archive.file(number),
        };
        const { problems } = await verifyArchive(source, undefined);
        expect(problems, `${name} of piece ${piece.piece}`).not.toEqual([]);
      }
    }
  });
});

it('a piece that was written anew breaks the chain, even where nothing is signed', async () => {
  writeCalls(database, 31, NOW - 2 * DAY);
  const archive = archiveOf(database, store);
  await archive.makeRoom(100);
  const { pieces, ...rest } = await archive.pieces(0);
  const anew = pieces.slice(0, 1).map((piece) => {
    const changed = { ...piece, since: piece.since + 1 };
    return { ...changed, hash: sha256Hex(archiveText(changed)) };
  });
  const source = {
    pieces: async (after: number) => ({ ...rest, pieces: [...anew, ...pieces.slice(1)].slice(after) }),
    file: (number: number) => archive.file(number),
  };
  expect((await verifyArchive(source, undefined)).problems).toEqual([
    'Piece 2: it is not linked to the piece before it.',
  ]);
});

describe('the database itself refuses', () => {
  it.each([
    'DELETE FROM call WHERE seq = 15',
    'DELETE FROM call_end WHERE seq = 15',
    'DELETE FROM call WHERE seq = 21',
    'DELETE FROM ledger_archive',
    'UPDATE ledger_archive SET last = 15',
    "INSERT INTO ledger_archive SELECT 2, 12, 15, 4, 0, 0, 'b', hash, 'h', NULL FROM ledger_archive",
    "INSERT INTO ledger_archive SELECT 3, 11, 15, 5, 0, 0, 'b', hash, 'h', NULL FROM ledger_archive",
    "INSERT INTO ledger_archive SELECT 2, 11, 15, 5, 0, 0, 'b', 'p', 'h', NULL FROM ledger_archive",
    "INSERT INTO ledger_archive SELECT 2, -9, -2, 5, 0, 0, 'b', hash, 'h', NULL FROM ledger_archive",
    'INSERT OR REPLACE INTO ledger_archive SELECT * FROM ledger_archive',
  ])('%s', async (attack) => {
    writeCalls(database, 21, NOW - 2 * DAY);
    await archiveOf(database, store).makeRoom(1);
    expect(live()).toBe(11);
    expect(() => database.sql.exec(attack)).toThrow('append-only');
    // Even where the archive says that it has them all, the newest stays.
    database.sql.exec(
      "INSERT INTO ledger_archive SELECT 2, 11, 21, 11, 0, 0, 'b', hash, 'h', NULL FROM ledger_archive",
    );
    expect(() => database.sql.exec('DELETE FROM call WHERE seq = 21')).toThrow('append-only');
  });
});
