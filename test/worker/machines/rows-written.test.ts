import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { LINK } from '../../../contracts/link.ts';
import { storedCall } from '../../../src/machines/call-frames.ts';
import { callById, finishCall, insertCall, keepPiece, textOfCall } from '../../../src/machines/call-rows.ts';
import type { MachineCall } from '../../../src/machines/link-ports.ts';
import { machineMigrations } from '../../../src/machines/machine-migrations.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { countingRows } from '../count-rows.ts';

const CALL: MachineCall = {
  id: 'call_1',
  tool: 'create_file',
  principal: 'ada',
  client: 'tests',
  digest: 'd',
  text: '{"path":"a"}',
  timeoutMs: 1_000,
  effect: true,
};

describe('the rows of a call that changes something on a machine', () => {
  it('are few in its object, from the call to its result', () =>
    runInDurableObject(env.MACHINE.get(env.MACHINE.idFromName('rows of a call')), (_, state) => {
      const sql = countingRows(state.storage.sql);
      insertCall(sql, CALL, 1, 'j', 0);
      const bytes = new TextEncoder().encode('{"success":true}');
      expect(keepPiece(sql, 'call_1', { n: 1, at: 0, total: bytes.length, bytes, isOk: true }, 1)).toBe(
        'whole',
      );
      finishCall(sql, 'call_1', 'done', 2);
      expect(sql.written()).toBe(4);
    }));
});

describe('a call that was open when an earlier version ended', () => {
  it('is sent again with the text that it was kept with', () =>
    runInDurableObject(env.EVENTS.get(env.EVENTS.idFromName('an old machine')), (_, { storage }) => {
      const { sql } = storage;
      migrate(storage, machineMigrations.slice(0, 5));
      sql.exec(
        "INSERT INTO call VALUES ('old', 't', 'ada', 'c', 'd', 'open', 1, 'j', 0, 0, NULL, 9, NULL, NULL)",
      );
      const text = '{"path":"grüße"}';
      const bytes = new TextEncoder().encode(text);
      for (const [at, end] of [
        [0, 10],
        [10, bytes.length],
      ] as const)
        sql.exec("INSERT INTO piece VALUES ('old', 'args', ?, ?)", at, bytes.slice(at, end).buffer);
      migrate(storage, machineMigrations);
      const row = callById(sql, 'old');
      expect(row && storedCall(sql, row).text).toBe(text);
      finishCall(sql, 'old', 'done', 2);
      expect(sql.exec('SELECT count(*) AS n FROM piece').one()).toEqual({ n: 0 });
    }));
});

describe('the text of a call', () => {
  it.each([LINK.inline - 20, LINK.inline, LINK.inline + 1, 3 * LINK.inline])(
    'of %d bytes is kept until it ends',
    (length) =>
      runInDurableObject(env.MACHINE.get(env.MACHINE.idFromName(`text ${length}`)), (_, { storage }) => {
        const { sql } = storage;
        const text = 'é'.repeat(length / 2) + 'x'.repeat(length % 2);
        insertCall(sql, { ...CALL, text }, 1, 'j', 0);
        expect(textOfCall(sql, CALL.id) === text).toBe(true);
        finishCall(sql, CALL.id, 'failed', 2);
        expect(textOfCall(sql, CALL.id)).toBe('');
      }),
  );
});
