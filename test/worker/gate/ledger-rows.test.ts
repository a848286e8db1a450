import { describe, expect, it } from 'vitest';
import { writeCall, writeEnd, writeEndings } from '../../../src/gate/calls.ts';
import { type LedgerFilter, pastCalls, readLedger } from '../../../src/gate/ledger.ts';
import { countingRows } from '../count-rows.ts';
import { gateCall, inNewGate, MINUTE, SECOND, START } from './gate-calls.ts';

const COUNTED = { counted: true, decision: 'allowed', because: 'test' };
const end = (outcome: 'ok' | 'failed' | 'asked', result: string | null = null) => ({
  at: START,
  outcome,
  code: null,
  bytes: 1,
  result,
});

/** A ledger of three calls: two that ended, the second with a result that is kept, and one that runs. */
function inSmallLedger(act: (sql: SqlStorage) => void): Promise<void> {
  return inNewGate((sql) => {
    for (const seq of [1, 2, 3]) expect(writeCall(sql, gateCall(), COUNTED, START)).toBe(seq);
    writeEnd(sql, 1, end('failed'));
    writeEnd(sql, 2, end('ok', '{}'));
    const before = [...sql.exec('SELECT * FROM call'), ...sql.exec('SELECT * FROM call_end')];
    act(sql);
    expect([...sql.exec('SELECT * FROM call'), ...sql.exec('SELECT * FROM call_end')]).toEqual(before);
  });
}

/** The first call once more, under another number. */
const copyAs = (seq: number) => `INTO call SELECT ${seq}, REST FROM call WHERE seq = 1`;

describe('the database itself refuses', () => {
  it.each([
    ["UPDATE call SET args = '{}' WHERE seq = 1", 'append-only'],
    ['UPDATE call SET counted = 0', 'append-only'],
    ['UPDATE OR REPLACE call SET seq = 9 WHERE seq = 3', 'append-only'],
    ['DELETE FROM call WHERE seq = 3', 'append-only'],
    ['DELETE FROM call', 'append-only'],
    [`INSERT OR REPLACE ${copyAs(1)}`, 'append-only'],
    [`REPLACE ${copyAs(3)}`, 'append-only'],
    [`INSERT OR IGNORE ${copyAs(2)}`, 'append-only'],
    [`INSERT ${copyAs(5)}`, 'append-only'],
    [`INSERT ${copyAs(0)}`, 'append-only'],
    [`INSERT ${copyAs(-1)}`, 'append-only'],
    [`INSERT ${copyAs(3)} ON CONFLICT (seq) DO UPDATE SET args = '{}'`, 'append-only'],
    ["UPDATE call_end SET outcome = 'ok' WHERE seq = 1", 'append-only'],
    ["UPDATE call_end SET outcome = 'failed', result = NULL WHERE seq = 2", 'append-only'],
    ['UPDATE call_end SET bytes = 5, result = NULL WHERE seq = 2', 'append-only'],
    ["UPDATE call_end SET code = 'x', result = NULL WHERE seq = 2", 'append-only'],
    ['UPDATE call_end SET at = 0, result = NULL WHERE seq = 2', 'append-only'],
    ['UPDATE call_end SET seq = 3, result = NULL WHERE seq = 2', 'append-only'],
    ["UPDATE call_end SET result = 'x' WHERE seq = 2", 'append-only'],
    ["UPDATE call_end SET result = 'x' WHERE seq = 1", 'append-only'],
    ['DELETE FROM call_end', 'append-only'],
    ["INSERT INTO call_end VALUES (1, 0, 'ok', NULL, 0, NULL)", 'append-only'],
    ["INSERT OR REPLACE INTO call_end VALUES (1, 0, 'ok', NULL, 0, NULL)", 'append-only'],
    ["INSERT INTO call_end VALUES (4, 0, 'ok', NULL, 0, NULL)", 'FOREIGN KEY'],
    ["INSERT INTO call_end VALUES (3, 'now', 'ok', NULL, 0, NULL)", 'cannot store TEXT'],
  ])('%s', (statement, why) =>
    inSmallLedger((sql) => {
      const [, ...columns] = sql.exec('SELECT * FROM call').columnNames;
      expect(() => sql.exec(statement.replace('REST', columns.join()))).toThrow(why);
    }),
  );

  it('another end of a read that was written with its end, and a change that is written with its end', () =>
    inNewGate((sql) => {
      const read = () => gateCall({ risk: 'read_only' });
      expect(writeCall(sql, read(), COUNTED, START, end('ok'))).toBe(1);
      const insert = "INSERT INTO call_end VALUES (1, 0, 'failed', NULL, 0, NULL)";
      expect(() => sql.exec(insert)).toThrow('append-only');
      writeEnd(sql, 1, end('failed'));
      expect(() => sql.exec('UPDATE call SET ok_at = 1')).toThrow('append-only');
      expect(() => writeCall(sql, gateCall(), COUNTED, START, end('ok'))).toThrow('only a read');
      expect(readLedger(sql, {}).entries).toMatchObject([{ seq: 1, outcome: 'ok', bytes: 1, durationMs: 0 }]);
    }));

  it('nothing else than that a result is dropped', () =>
    inNewGate((sql) => {
      writeCall(sql, gateCall(), COUNTED, START);
      writeEnd(sql, 1, end('ok', '{}'));
      sql.exec('UPDATE call_end SET result = NULL');
      expect(sql.exec('SELECT outcome, result FROM call_end').one()).toEqual({ outcome: 'ok', result: null });
    }));
});

describe('a row behind another', () => {
  it('follows it in number, and says if the clock went back in between', () =>
    inNewGate((sql) => {
      const read = () => gateCall({ risk: 'read_only' });
      const seq = writeCall(sql, read(), COUNTED, START);
      expect(writeCall(sql, read(), COUNTED, START + 5, end('ok'), { seq, at: START })).toBe(2);
      expect(sql.exec('SELECT * FROM clock_step').toArray()).toEqual([]);
      expect(writeCall(sql, read(), COUNTED, START, end('failed'), { seq: 2, at: START + 5 })).toBe(3);
      expect(sql.exec('SELECT * FROM clock_step').toArray()).toEqual([{ seq: 3, latest: START + 5 }]);
      expect(() => writeCall(sql, read(), COUNTED, START, undefined, { seq: 2, at: 0 })).toThrow(
        'append-only',
      );
      expect(readLedger(sql, {}).entries.map(({ outcome }) => outcome)).toEqual(['failed', 'ok', null]);
    }));
});

describe('an end that comes', () => {
  it('a second time, or of a call that there is not, changes nothing and stops nothing', () =>
    inNewGate((sql) => {
      for (let i = 0; i < 2; i++) writeCall(sql, gateCall(), COUNTED, START);
      const refused = gateCall({ callId: 'turned away' });
      writeEndings(sql, [{ seq: 1, end: end('ok') }]);
      writeEndings(sql, [
        { seq: 1, end: end('failed') },
        { seq: 99, end: end('ok') },
        { call: refused, end: end('failed') },
        { seq: 2, end: end('ok') },
      ]);
      const { entries } = readLedger(sql, {});
      expect(entries.map(({ seq, outcome }) => [seq, outcome])).toEqual([
        [3, 'failed'],
        [2, 'ok'],
        [1, 'ok'],
      ]);
    }));

  it('again with a call that was turned away is written once', () =>
    inNewGate((sql) => {
      const refused = { call: gateCall(), end: end('failed') };
      writeEndings(sql, [refused]);
      writeEndings(sql, [{ ...refused, again: true }]);
      writeEndings(sql, [{ ...refused, call: gateCall(), again: true }]);
      expect(readLedger(sql, {}).entries.map(({ seq, outcome }) => [seq, outcome])).toEqual([
        [2, 'failed'],
        [1, 'failed'],
      ]);
    }));

  it('again costs as much in a ledger of any length, however many come', () =>
    inNewGate((sql) => {
      const insert = `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < 50000)
        INSERT INTO call SELECT seq, 'earlier ' || seq, ? + seq * 1000, 'ada', 'tests', 'rest', 'hello', NULL, 'd', '{}',
          0, 0, 'refused', 'test', NULL, NULL, NULL FROM n`;
      sql.exec(insert, START - 50_000 * SECOND);
      const refused = (n: number, at: number) => ({
        call: gateCall({ callId: `refused ${n}` }),
        end: { ...end('failed'), at },
      });
      const read = (endings: ReturnType<typeof refused>[]) => {
        const counted = countingRows(sql);
        writeEndings(
          counted,
          endings.map((one) => ({ ...one, again: true })),
        );
        return counted.read() / endings.length;
      };
      const many = Array.from({ length: 250 }, (_, n) => refused(n, START + n));
      writeEndings(sql, many.slice(0, 200));
      expect(read(many)).toBeLessThan(30);
      // One that waited for long, and one whose clock was set meanwhile.
      expect(read([refused(0, START)])).toBeLessThan(1_500);
      expect(read([refused(1, START - 40_000 * SECOND)])).toBeLessThan(30_000);
      expect(read([refused(2, START + 90_000 * SECOND)])).toBeLessThan(1_500);
      const rows = sql.exec("SELECT id FROM call WHERE id LIKE 'refused %'").toArray();
      expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([250, 250]);
    }));
});

describe('the ledger is read', () => {
  const TOOLS = ['desk_look', 'desk_keep', 'desk_burn'];

  /** 5,000 calls of three tools by two people, of which every tenth runs and every seventh failed. */
  const inLongLedger = (act: (sql: SqlStorage) => void) =>
    inNewGate((sql) => {
      for (let i = 1; i <= 5_000; i++) {
        const tool = TOOLS[i % 3] ?? '';
        const call = gateCall({ tool, principal: i % 2 ? 'ada' : 'bob', digest: `d${i}` });
        writeCall(sql, call, COUNTED, START + i);
        if (i % 10) writeEnd(sql, i, end(i % 7 ? 'ok' : 'failed'));
      }
      act(sql);
    });

  /** All pages, one after the other. */
  function pages(sql: SqlStorage, filter: LedgerFilter): number[][] {
    const all: number[][] = [];
    for (let before: number | undefined; all.length < 1_000; ) {
      const { entries, next } = readLedger(sql, { ...filter, before });
      all.push(entries.map(({ seq }) => seq));
      if (next === null) return all;
      before = next;
    }
    throw new Error('the pages have no end');
  }

  const numbers = (keep: (i: number) => boolean) =>
    Array.from({ length: 5_000 }, (_, i) => 5_000 - i).filter(keep);

  it('newest first, in pages that leave nothing out and say nothing twice, with every filter', () =>
    inLongLedger((sql) => {
      expect(pages(sql, {}).flat()).toEqual(numbers(() => true));
      expect(pages(sql, {})).toHaveLength(100);
      const filters: [LedgerFilter, (i: number) => boolean][] = [
        [{ tool: 'desk_keep' }, (i) => i % 3 === 1],
        [{ principal: 'bob' }, (i) => i % 2 === 0],
        [{ outcome: 'running' }, (i) => i % 10 === 0],
        [{ outcome: 'failed' }, (i) => i % 10 > 0 && i % 7 === 0],
        [{ outcome: 'asked' }, () => false],
        [{ since: START + 4_000 }, (i) => i >= 4_000],
        [
          { tool: 'desk_burn', principal: 'ada', outcome: 'ok' },
          (i) => i % 3 === 2 && i % 2 === 1 && i % 7 > 0,
        ],
        [{ tool: 'no_such' }, () => false],
      ];
      for (const [filter, keep] of filters) {
        const found = pages(sql, { ...filter, limit: 37 }).flat();
        expect(found, JSON.stringify(filter)).toEqual(numbers(keep));
      }
    }));

  it('with a next page only if there is one, and of 200 at most', () =>
    inLongLedger((sql) => {
      expect(readLedger(sql, { before: 51, limit: 50 })).toMatchObject({
        next: null,
        entries: { length: 50 },
      });
      expect(readLedger(sql, { before: 52, limit: 50 })).toMatchObject({ next: 2, entries: { length: 50 } });
      expect(readLedger(sql, { limit: 5_000 }).entries).toHaveLength(200);
      expect(readLedger(sql, { before: 1 })).toEqual({ entries: [], next: null });
    }));

  it('for trying a rule: the last thousand calls of a tool, whatever became of them', () =>
    inLongLedger((sql) => {
      const past = pastCalls(sql, 'desk_look');
      expect(past.map(({ seq }) => seq)).toEqual(numbers((i) => i % 3 === 0).slice(0, 1_000));
      expect(pastCalls(sql, 'no_such')).toEqual([]);
    }));

  it('with how long each call took', () =>
    inNewGate((sql) => {
      writeCall(sql, gateCall(), COUNTED, START);
      writeEnd(sql, 1, { ...end('ok'), at: START + MINUTE });
      writeCall(sql, gateCall(), COUNTED, START);
      expect(readLedger(sql, {}).entries.map(({ durationMs }) => durationMs)).toEqual([null, MINUTE]);
    }));
});
