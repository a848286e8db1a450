import { beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyArchive } from '../../../local-bridge/cli/ledger/verify.ts';
import type { FileDatabase } from '../../../local-bridge/local/gate/node-database.ts';
import { packed } from '../../../src/gate/archive-store.ts';

import { Gate } from '../../../src/gate/gate.ts';
import { readOverview } from '../../../src/gate/ledger-overview.ts';
import type { GateCall } from '../../../src/gate/messages.ts';
import { rateWait } from '../../../src/gate/rate.ts';
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

describe('the database is made smaller', () => {
  it.each([
    ['one byte under the limit', 1, 0],
    ['at the limit', 0, 0],
    ['one byte over the limit', -1, 1],
  ])('%s', async (_, room, pieces) => {
    writeCalls(database, 300, NOW - 2 * DAY);
    const limit = database.usedBytes() + room;
    const archive = archiveOf(database, store, { maxBytes: () => limit });
    expect(archive.isDue()).toBe(pieces > 0);
    expect(await archive.makeRoom(1)).toBe(pieces > 0 ? 'more' : 'done');
    expect(store.files.size).toBe(pieces);
  });

  it('until a tenth of the limit is free, a few pieces a turn', async () => {
    writeCalls(database, 600, NOW - 2 * DAY);
    const limit = database.usedBytes() - 1;
    const archive = archiveOf(database, store, { maxBytes: () => limit });
    expect(await archive.makeRoom(2)).toBe('more');
    expect(store.files.size).toBe(2);
    while ((await archive.makeRoom(2)) === 'more');
    expect(database.usedBytes()).toBeLessThanOrEqual(limit * 0.9);
    expect(live()).toBeGreaterThan(300);
    expect(seqs(await allPages(archive))).toEqual(downFrom(600));
  });

  it('by no call of the last day, and never by the newest', async () => {
    writeCalls(database, 40, NOW - DAY + 9 * MINUTE);
    // The last nine are younger than a day, the one before them is as old to the millisecond.
    await archiveOf(database, store).makeRoom(100);
    expect(live()).toBe(9);
    vi.setSystemTime(NOW + 10 * DAY);
    await archiveOf(database, store).makeRoom(100);
    expect(live()).toBe(1);
    writeCalls(database, 1, NOW + 10 * DAY);
    expect(seqs(await allPages(archiveOf(database, store)))).toEqual(downFrom(41));
    expect(await verified()).toEqual([]);
  });

  it('although a clock once ran years ahead', async () => {
    writeCalls(database, 5, NOW - 3 * DAY);
    writeCalls(database, 1, NOW + 5_000 * DAY);
    writeCalls(database, 5, NOW - 2 * DAY);
    await archiveOf(database, store).makeRoom(100);
    expect(live()).toBe(1);
  });

  it('and limits, repeats and the overview are as they were', async () => {
    writeCalls(database, 100, NOW - 2 * DAY);
    writeCalls(database, 30, NOW);
    const gate = new Gate(database);
    const call = callOf({ idempotencyKey: 'k', risk: 'safe_write', tool: 'note', principal: 'eve' });
    const admitted = gate.admit(call, []);
    if (admitted.kind !== 'admitted' || admitted.seq === null) throw new Error('it was to be let in');
    gate.settle([
      { seq: admitted.seq, end: { at: NOW, outcome: 'ok', code: null, bytes: 1, result: '{"a":1}' } },
    ]);
    const look = () => ({
      wait: rateWait(database.sql, callOf({ principal: 'bob', tool: 'run_in_terminal' }), 1, NOW + 1),
      overview: readOverview(database.sql, NOW - DAY / 2, DAY / 4),
    });
    const before = look();
    const limit = database.usedBytes() - 1;
    await archiveOf(database, store, { maxBytes: () => limit }).makeRoom(100);
    expect(live()).toBeLessThan(131);
    expect(look()).toEqual(before);
    expect(gate.admit({ ...call, callId: 'again' }, [])).toMatchObject({
      kind: 'earlier',
      result: '{"a":1}',
    });
  });

  it('by results first: those over a day old, and others when nothing else can go', async () => {
    const result = JSON.stringify('r'.repeat(50_000));
    const end = (seq: number, at: number) =>
      database.sql.exec('INSERT INTO call_end VALUES (?, ?, ?, NULL, 5, ?)', seq, at, 'ok', result);
    const kept = () =>
      database.sql
        .exec<{ seq: number }>('SELECT seq FROM call_end WHERE result IS NOT NULL AND 1 = ?', 1)
        .toArray().length;
    writeCalls(database, 10, NOW - 2 * DAY);
    end(10, NOW - 2 * DAY);
    writeCalls(database, 20, NOW);
    end(20, NOW);
    end(30, NOW);
    const limit = database.usedBytes() - 1;
    expect(await archiveOf(database, store, { maxBytes: () => limit }).makeRoom(9)).toBe('done');
    expect([kept(), store.files.size]).toEqual([2, 0]);
    expect(await archiveOf(database, store).makeRoom(9)).toBe('more');
    expect(kept()).toBe(0);
    expect(await archiveOf(database, store).makeRoom(9)).toBe('stuck');
  });
});

describe('broken off', () => {
  /** All calls once, however the archive stands; and it goes on to its end. */
  async function isWhole(calls: number) {
    expect(seqs(await allPages(archiveOf(database, store)))).toEqual(downFrom(calls));
    await archiveOf(database, store).makeRoom(100);
    expect(live()).toBe(1);
    expect(seqs(await allPages(archiveOf(database, store)))).toEqual(downFrom(calls));
    expect(await verified()).toEqual([]);
  }

  it('while a piece is written', async () => {
    writeCalls(database, 35, NOW - 2 * DAY);
    const down = { put: async () => Promise.reject(new Error('gone')), get: store.get.bind(store) };
    await expect(archiveOf(database, down).makeRoom(9)).rejects.toThrow('gone');
    expect(live()).toBe(35);
    await isWhole(35);
  });

  it('after a piece was written and before its calls were removed', async () => {
    writeCalls(database, 35, NOW - 2 * DAY);
    const dies = {
      put: async (name: string, bytes: Uint8Array) => {
        await store.put(name, bytes);
        throw new Error('killed');
      },
      get: store.get.bind(store),
    };
    await expect(archiveOf(database, dies).makeRoom(9)).rejects.toThrow('killed');
    expect([live(), store.files.size]).toEqual([35, 1]);
    await isWhole(35);
    expect(store.files.size).toBe(4);
  });

  it.each([
    ['nothing', async () => undefined],
    ['half of it', async (name: string) => store.files.get(name)?.subarray(0, 40)],
    ['something else', () => packed('{"piece":1}\n{}\n')],
  ])('because the store kept %s of what it took', async (_, get) => {
    writeCalls(database, 35, NOW - 2 * DAY);
    const lossy = { put: store.put.bind(store), get };
    await expect(archiveOf(database, lossy).makeRoom(9)).rejects.toThrow('did not keep piece 1');
    expect(live()).toBe(35);
    await isWhole(35);
  });

  it('in the middle of removing', async () => {
    writeCalls(database, 35, NOW - 2 * DAY);
    const { sql, transactionSync } = database;
    const failing = {
      ...database,
      sql: {
        exec: ((query: string, ...values: never[]) => {
          if (query.startsWith('DELETE FROM call ')) throw new Error('full');
          return sql.exec(query, ...values);
        }) as typeof sql.exec,
      },
      transactionSync,
    };
    await expect(archiveOf(failing, store).makeRoom(9)).rejects.toThrow('full');
    expect(live()).toBe(35);
    await isWhole(35);
  });

  it('by an end that comes late: the piece is made anew, with it', async () => {
    writeCalls(database, 35, NOW - 2 * DAY);
    let isFirst = true;
    const slow = {
      put: async (name: string, bytes: Uint8Array) => {
        await store.put(name, bytes);
        if (isFirst) database.sql.exec('INSERT INTO call_end VALUES (?, ?, ?, NULL, 5, NULL)', 10, NOW, 'ok');
        isFirst = false;
      },
      get: store.get.bind(store),
    };
    await archiveOf(database, slow).makeRoom(100);
    const all = await allPages(archiveOf(database, store));
    expect(all.find(({ seq }) => seq === 10)?.outcome).toBe('ok');
    await isWhole(35);
  });

  it('by another process that does the same', async () => {
    writeCalls(database, 60, NOW - 2 * DAY);
    await Promise.all(Array.from({ length: 4 }, () => archiveOf(database, store).makeRoom(100)));
    await isWhole(60);
  });
});

describe('a database that is full in spite of it', () => {
  it('lets no call run that it could not write down, writes no refusals, and goes on once there is room', () => {
    let used = 1_001;
    const gate = new Gate(database, { usedBytes: () => used, fullBytes: 1_000 });
    expect(gate.admit(callOf({}), [])).toEqual({ kind: 'refused', code: 'ledger_full' });
    gate.settle([
      { call: callOf({}), end: { at: NOW, outcome: 'failed', code: 'x', bytes: 0, result: null } },
    ]);
    expect(live()).toBe(0);
    expect(gate.counted()).toMatchObject([{ code: 'x', count: 1 }]);
    used = 1_000;
    expect(gate.admit(callOf({}), [])).toMatchObject({ kind: 'admitted' });
  });
});

function callOf(change: Partial<GateCall>): GateCall {
  return {
    ...{
      callId: 'c',
      principal: 'ada',
      client: 'tests',
      via: 'mcp',
      tool: 'hello',
      machine: null,
      machineId: null,
      root: null,
    },
    ...{ risk: 'read_only', approval: 'never', perMinute: 1_000, digest: 'd', args: '{}', shownArgs: '{}' },
    ...{ idempotencyKey: null, requestName: null, voidedUpTo: 0, shown: null, retryOf: null },
    ...change,
  };
}
