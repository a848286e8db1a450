import { beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry, LedgerFilter } from '../../../src/gate/ledger.ts';
import { restoreCalls, restoredCall, withRestored } from '../../../src/gate/restored-ledger.ts';
import type { Sql } from '../../../src/storage/sql.ts';
import { newDatabase } from '../../support/ledger-archive.ts';

let sql: Sql;
beforeEach(() => {
  sql = newDatabase().sql;
});

const call = (seq: number, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ seq, id: `call_${seq}`, at: 1_000 + seq, principal: 'token:a', client: 'app', via: 'mcp' },
  ...{ tool: 'hello', machine: null, digest: 'd', args: '{}', decision: 'allowed', because: 'read' },
  ...{ outcome: 'ok', code: null, bytes: 2, durationMs: 1 },
  ...change,
});
const seqs = (filter: LedgerFilter, live: number[] = [], next: number | null = null) => {
  const page = withRestored(sql, { entries: live.map((seq) => call(seq)), next }, filter);
  return { seqs: page.entries.map(({ seq }) => seq), next: page.next };
};

describe('restored calls', () => {
  it('come in once, and another call under the same number is refused', () => {
    expect(restoreCalls(sql, [call(-1), call(-2)])).toEqual({ refused: null });
    expect(restoreCalls(sql, [call(-2), call(-3)])).toEqual({ refused: null });
    expect(restoreCalls(sql, [call(-4), call(-3, { id: 'call_other' })])).toEqual({ refused: -3 });
    expect(restoreCalls(sql, [])).toEqual({ refused: null });
  });

  it('are never changed, replaced or dropped, and stand below zero', () => {
    restoreCalls(sql, [call(-1)]);
    for (const attack of [
      "UPDATE restored_call SET outcome = 'failed'",
      'DELETE FROM restored_call',
      'INSERT OR REPLACE INTO restored_call SELECT * FROM restored_call',
    ])
      expect(() => sql.exec(attack), attack).toThrow('append-only');
    expect(() => restoreCalls(sql, [call(0)])).toThrow(/CHECK/);
    expect(restoredCall.safeParse(call(0)).success).toBe(false);
    expect(restoredCall.safeParse(call(-1)).success).toBe(true);
  });

  it('fill a page behind the live ones, and go on where it ended', () => {
    restoreCalls(sql, [call(-1), call(-2), call(-3)]);
    expect(seqs({ limit: 4 }, [2, 1])).toEqual({ seqs: [2, 1, -1, -2], next: -2 });
    expect(seqs({ limit: 5 }, [2, 1])).toEqual({ seqs: [2, 1, -1, -2, -3], next: null });
    expect(seqs({ limit: 2 }, [2, 1])).toEqual({ seqs: [2, 1], next: 1 });
    expect(seqs({ limit: 2, before: 1 })).toEqual({ seqs: [-1, -2], next: -2 });
    expect(seqs({ limit: 2, before: -2 })).toEqual({ seqs: [-3], next: null });
    // While there are more live ones none of these is due.
    expect(seqs({ limit: 2 }, [9, 8], 8)).toEqual({ seqs: [9, 8], next: 8 });
  });

  it.each<[LedgerFilter, number[]]>([
    [{ tool: 'list_dir' }, [-2]],
    [{ principal: 'token:b' }, [-3]],
    [{ client: 'other' }, [-3]],
    [{ machine: 'mini' }, [-2]],
    [{ outcome: 'failed' }, [-3]],
    [{ outcome: 'running' }, [-2]],
    [{ since: 998 }, [-1, -2]],
    [{ until: 998 }, [-3]],
    [{ tool: 'hello', outcome: 'ok' }, [-1]],
  ])('are found by %j', (filter, expected) => {
    restoreCalls(sql, [
      call(-1),
      call(-2, { tool: 'list_dir', machine: 'mini', outcome: null }),
      call(-3, { principal: 'token:b', client: 'other', outcome: 'failed' }),
    ]);
    expect(seqs(filter).seqs).toEqual(expected);
  });
});
