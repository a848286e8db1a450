import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { finishCall, insertCall, keepPiece } from '../../../src/machines/call-rows.ts';
import { countingRows } from '../count-rows.ts';

describe('the rows of a call that changes something on a machine', () => {
  it('are few in its object, from the call to its result', () =>
    runInDurableObject(env.MACHINE.get(env.MACHINE.idFromName('rows of a call')), (_, state) => {
      const sql = countingRows(state.storage.sql);
      const call = {
        id: 'call_1',
        tool: 'create_file',
        principal: 'ada',
        client: 'tests',
        digest: 'd',
        text: '{"path":"a"}',
        timeoutMs: 1_000,
        isEffect: true,
      };
      insertCall(sql, call as unknown as Parameters<typeof insertCall>[1], 1, 'j', 0);
      const bytes = new TextEncoder().encode('{"success":true}');
      expect(keepPiece(sql, 'call_1', { n: 1, at: 0, total: bytes.length, bytes, isOk: true }, 1)).toBe(
        'whole',
      );
      finishCall(sql, 'call_1', 'done', 2);
      expect(sql.written()).toBe(6);
    }));
});
