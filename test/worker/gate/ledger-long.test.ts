import { describe, expect, it } from 'vitest';
import fewerRows from '../../../migrations/gate/0015_fewer_rows.sql';
import { KeptCalls } from '../../../src/gate/kept-calls.ts';
import { callBySeq, type LedgerFilter, readLedger } from '../../../src/gate/ledger.ts';
import { latelySeen, readOverview } from '../../../src/gate/ledger-overview.ts';
import { firstSince } from '../../../src/gate/ledger-place.ts';
import { countingRows } from '../count-rows.ts';
import { inNewGate, MINUTE, SECOND, START } from './gate-calls.ts';

const CALLS = 100_000;

/** A call a second; every 10,000th by a rare tool, on a machine, and gone wrong. */
function fill(sql: SqlStorage, calls = CALLS): void {
  sql.exec(
    `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?)
     INSERT INTO call SELECT seq, 'call_' || seq, ? + seq * 1000, 'ada', 'tests', 'rest',
       iif(seq % 10000 = 0, 'rare', 'hello'), iif(seq % 10000 = 0, 'mini', NULL), 'd', '{}', 0, 0, 'allowed', 'test', NULL, NULL, NULL FROM n`,
    calls,
    START,
  );
  // As an earlier version left it, which knew no blocks.
  sql.exec('DELETE FROM ledger_block');
  sql.exec(
    fewerRows.slice(fewerRows.indexOf('INSERT INTO ledger_block'), fewerRows.indexOf('-- Where the clock')),
  );
  sql.exec(
    `INSERT INTO call_end SELECT seq, at + seq % 100 + 1, iif(seq % 10000 = 0, 'failed', 'ok'), NULL, 1, NULL FROM call`,
  );
}

describe('a ledger of 100,000 calls', () => {
  it('is paged through at the price of a page, wherever, and whatever is looked for', () =>
    inNewGate((sql) => {
      fill(sql);
      const looks: [string, LedgerFilter, number][] = [
        ['the newest', {}, 50],
        ['deep inside', { before: 500 }, 50],
        ['a rare tool', { tool: 'rare' }, 10],
        ['a machine', { machine: 'mini' }, 10],
        ['what went wrong', { outcome: 'failed' }, 10],
        ['what went wrong with a rare tool', { tool: 'rare', outcome: 'failed' }, 10],
        ['a common tool', { tool: 'hello', outcome: 'ok' }, 50],
        ['long ago', { until: START + 1_000 * SECOND }, 50],
        ['a minute long ago', { since: START + 1_000 * SECOND, until: START + 1_060 * SECOND }, 50],
      ];
      for (const [what, filter, expected] of looks) {
        const counted = countingRows(sql);
        expect(readLedger(counted, { ...filter, limit: 50 }).entries, what).toHaveLength(expected);
        expect(counted.read(), what).toBeLessThan(5_200);
      }
      const one = countingRows(sql);
      expect(callBySeq(one, 77_777)?.id).toBe('call_77777');
      expect(one.read()).toBeLessThan(5);
      // What no index leads to is looked for in the newest calls, and the next page goes on before these.
      const looked: [string, LedgerFilter, number][] = [
        ['a client that never called', { client: 'nobody' }, -1],
        ['a caller that never called', { principal: 'eve' }, -1],
        ['what still runs', { outcome: 'running' }, 97_400],
        ['a tool with a client that never called', { tool: 'hello', client: 'nobody' }, -1],
        ['a client on a machine, further back', { client: 'tests', machine: 'mine', before: 97_501 }, -1],
        ['what still runs, long ago', { outcome: 'running', until: START + 50_000 * SECOND }, 47_800],
        ['what still runs, from a time on', { outcome: 'running', since: START + 99_000 * SECOND }, -1],
      ];
      for (const [what, filter, next] of looked) {
        const counted = countingRows(sql);
        expect(readLedger(counted, filter), what).toEqual({ entries: [], next: next < 0 ? null : next });
        expect(counted.read(), what).toBeLessThan(6_000);
      }
      const rare: number[] = [];
      let pages = 0;
      for (let before: number | null = 100_001; before !== null; pages++) {
        const page = readLedger(sql, { tool: 'rare', client: 'tests', before });
        rare.push(...page.entries.map(({ seq }) => seq));
        before = page.next;
      }
      expect(pages).toBe(1);
      expect(rare).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => n * 10_000));
      const names = countingRows(sql);
      expect(latelySeen(names)).toEqual({ clients: ['tests'], machines: ['mini'] });
      expect(names.read()).toBeLessThan(15_000);
    }));

  it('is looked over from the newest only, and says so', () =>
    inNewGate((sql) => {
      fill(sql);
      const counted = countingRows(sql);
      const overview = readOverview(counted, START, 3_600 * SECOND);
      expect(overview.cut).toBe(true);
      expect(overview.whole.calls).toBe(10_000);
      // Each call and its end, once.
      expect(counted.read()).toBeLessThan(20_100);
    }));
});

describe('an overview', () => {
  it('counts by slot, and ranks the times of what ran', () =>
    inNewGate((sql) => {
      fill(sql, 200);
      sql.exec(
        `INSERT INTO call SELECT 201, 'x', ?, 'ada', 'tests', 'rest', 'hello', NULL, 'd', '{}', 0, 0, 'refused', 'rate_limited', NULL, NULL, NULL`,
        START + 200 * SECOND,
      );
      sql.exec(
        `INSERT INTO call_end VALUES (201, ?, 'failed', 'rate_limited', 0, NULL)`,
        START + 900 * SECOND,
      );
      const { slots, whole, tools, cut } = readOverview(sql, START, 100 * SECOND);
      // Call n ends after n % 100 + 1 ms, so half of each hundred by 50 ms.
      expect(slots.map(({ slot, calls }) => [slot, calls])).toEqual([
        [0, 99],
        [1, 100],
        [2, 2],
      ]);
      expect(slots[1]).toMatchObject({ p50: 50, p95: 95, failed: 0, asked: 0 });
      // What was turned away did not run, however late it was written down.
      expect(whole).toMatchObject({ calls: 201, failed: 1, p50: 50, p95: 95 });
      expect(tools).toEqual([{ tool: 'hello', calls: 201 }]);
      expect(cut).toBe(false);
    }));

  it('reads only what is new when it is asked again', () =>
    inNewGate((sql) => {
      fill(sql, 5_000);
      sql.exec(
        "INSERT INTO call SELECT 5001, 'open', ?, 'ada', 'late', 'rest', 'hello', NULL, 'd', '{}', 1, 0, 'allowed', 'test', NULL, NULL, NULL",
        START + 5_001 * SECOND,
      );
      const kept = new KeptCalls();
      const first = countingRows(sql);
      expect(readOverview(first, START, MINUTE, kept).whole).toMatchObject({ calls: 5_001, p95: 95 });
      expect(first.read()).toBeGreaterThan(10_000);
      sql.exec("INSERT INTO call_end VALUES (5001, ?, 'failed', 'timeout', 0, NULL)", START + 5_002 * SECOND);
      sql.exec(
        "INSERT INTO call SELECT 5002, 'next', ?, 'ada', 'newer', 'rest', 'hello', NULL, 'd', '{}', 1, 0, 'allowed', 'test', NULL, NULL, NULL",
        START + 5_003 * SECOND,
      );
      const again = countingRows(sql);
      expect(readOverview(again, START, MINUTE, kept).whole).toMatchObject({ calls: 5_002, failed: 1 });
      expect(readOverview(again, START + 4_000 * SECOND, MINUTE, kept).whole.calls).toBe(1_003);
      expect(latelySeen(again, kept)).toEqual({ clients: ['late', 'newer', 'tests'], machines: [] });
      expect(again.read()).toBeLessThan(100);
      // Looked at anew, it is the same.
      expect(readOverview(sql, START, MINUTE, kept)).toEqual(readOverview(sql, START, MINUTE));
    }));

  it('of nothing is nothing', () =>
    inNewGate((sql) => {
      const whole = { slot: -1, calls: 0, failed: 0, asked: 0, p50: null, p95: null };
      expect(readOverview(sql, START, MINUTE)).toEqual({ slots: [], whole, tools: [], cut: false });
    }));
});

describe('the first call since a time', () => {
  it.each([
    ['before all', START, 1],
    ['at a call', START + 5 * SECOND, 5],
    ['between two', START + 5 * SECOND + 1, 6],
    ['at the last', START + 10 * SECOND, 10],
    ['after all', START + 11 * SECOND, 11],
  ])('%s', (_, since, expected) =>
    inNewGate((sql) => {
      fill(sql, 10);
      expect(firstSince(sql, since)).toBe(expected);
    }),
  );

  it('in an empty ledger is the first there will be', () =>
    inNewGate((sql) => {
      expect(firstSince(sql, START)).toBe(1);
    }));
});
