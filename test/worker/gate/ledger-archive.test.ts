import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { archiveText } from '../../../src/core/ledger-archive.ts';
import { verifyProof } from '../../../src/core/machine-proof.ts';
import { Gate } from '../../../src/gate/gate.ts';
import { GateObject } from '../../../src/gate/gate-object.ts';
import type { GateEnd } from '../../../src/gate/messages.ts';
import { gateCall, inNewGate, seqIn } from './gate-calls.ts';
import { gateNamed } from './rig.ts';

const DAY = 86_400_000;
const CALLS = 5_000;

/** Calls of two days ago, a second apart. */
function fill(sql: SqlStorage, calls = CALLS): void {
  sql.exec(
    `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?)
     INSERT INTO call SELECT seq, 'call_' || seq, ? + seq * 1000, 'ada', 'tests', 'rest', 'hello', NULL,
       'digest of ' || seq, '{"name":"Ada"}', 1, 0, 'allowed', 'test', NULL, NULL, NULL FROM n`,
    calls,
    Date.now() - 2 * DAY,
  );
  sql.exec("INSERT INTO call_end SELECT seq, at + 5, 'ok', NULL, 1, NULL FROM call");
}

const countIn = (sql: SqlStorage) => sql.exec<{ n: number }>('SELECT count(*) AS n FROM call').one().n;

async function everyCall(gate: ReturnType<typeof gateNamed>) {
  const found: number[] = [];
  for (let before: number | undefined; ; ) {
    const page = await gate.ledger({ limit: 200, before });
    expect(page.missing).toBe(undefined);
    found.push(...page.entries.map(({ seq }) => seq));
    if (page.next === null) return found;
    before = page.next;
  }
}

describe("the gate's object", () => {
  it('moves old calls to the bucket by alarms that calls set off, and every call is still read', async () => {
    const gate = gateNamed(crypto.randomUUID());
    await runInDurableObject(gate, (_, state) => fill(state.storage.sql));
    // Nothing happens under the limit.
    await gate.admit(gateCall({ approval: 'never' }), []);
    expect(await runDurableObjectAlarm(gate)).toBe(false);
    await gate.changeSetting('ledger_bytes', 300_000);
    await runInDurableObject(gate, (object: GateObject) => object.alarm());
    const { n, bytes } = await runInDurableObject(gate, (_, { storage: { sql } }) => ({
      n: countIn(sql),
      bytes: sql.databaseSize,
    }));
    expect(n).toBeLessThan(CALLS);
    expect(bytes).toBeLessThan(300_000);
    const { pieces, lowest } = await gate.archived(0);
    expect(pieces.at(-1)?.last).toBe(lowest - 1);
    const { objects } = await env.BLOBS.list({ prefix: 'ledger/' });
    expect(objects.length).toBeGreaterThanOrEqual(pieces.length);
    expect(await everyCall(gate)).toEqual(Array.from({ length: CALLS + 1 }, (_, i) => CALLS + 1 - i));
    expect(await gate.call(7)).toMatchObject({ seq: 7, id: 'call_7', result: null });
    expect(await gate.archivedFile(1)).toContain('"call_1"');
    expect(await gate.archivedFile(99)).toBe(null);
  });

  it('sets an alarm as soon as a call finds it over the limit', async () => {
    const gate = gateNamed(crypto.randomUUID());
    await gate.changeSetting('ledger_bytes', 300_000);
    await runInDurableObject(gate, (_, state) => fill(state.storage.sql));
    await gate.admit(gateCall({ approval: 'never' }), []);
    await expect
      .poll(() => runInDurableObject(gate, (_, { storage: { sql } }) => countIn(sql)), { timeout: 20_000 })
      .toBeLessThan(CALLS);
  });

  it('signs what it moves out', async () => {
    const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
    const der = (await crypto.subtle.exportKey('pkcs8', pair.privateKey)) as ArrayBuffer;
    const MEMORY_KEY = Buffer.from(der).toString('base64');
    await runInDurableObject(gateNamed(crypto.randomUUID()), async (_, state) => {
      fill(state.storage.sql, 3_000);
      const object = new GateObject(state, { BLOBS: env.BLOBS, MEMORY_KEY });
      object.changeSetting('ledger_bytes', 300_000);
      await object.alarm();
      const { pieces, key } = await object.archived(0);
      expect(pieces.length).toBeGreaterThan(0);
      for (const piece of pieces)
        expect(await verifyProof(key ?? '', archiveText(piece), piece.signature ?? '')).toBe(true);
    });
  });

  it('keeps every call and lets further ones run while there is no bucket', async () => {
    await runInDurableObject(gateNamed(crypto.randomUUID()), async (_, state) => {
      fill(state.storage.sql, 3_000);
      const object = new GateObject(state, {});
      object.changeSetting('ledger_bytes', 300_000);
      await object.alarm();
      expect(countIn(state.storage.sql)).toBe(3_000);
      expect(object.admit(gateCall({ approval: 'never' }), [])).toMatchObject({ kind: 'admitted' });
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now());
    });
  });
});

describe('what one call costs', () => {
  const cost = (
    count: number,
    change: (i: number) => Parameters<typeof gateCall>[0],
    result: string | null,
  ) =>
    inNewGate((sql) => {
      const gate = new Gate({ sql, transactionSync: (work) => work() }, { isAlone: true });
      const run = (i: number) => {
        const digest = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
          byte.toString(16).padStart(2, '0'),
        ).join('');
        const callId = `call_${crypto.randomUUID()}`;
        const principal = 'token:AbCdEfGhIjKlMnOpQrStUv';
        const call = gateCall({ callId, digest, principal, client: 'Claude Code', via: 'mcp', ...change(i) });
        const answer = gate.admit({ ...call, approval: 'never', perMinute: 1_000_000 }, []);
        const end: GateEnd = { at: Date.now(), outcome: 'ok', code: null, bytes: 120, result };
        gate.settle([{ seq: seqIn(answer), end }]);
      };
      for (let i = 0; i < 500; i++) run(i);
      const before = sql.databaseSize;
      for (let i = 0; i < count; i++) run(500 + i);
      return Math.round((sql.databaseSize - before) / count);
    });

  it('is 250 to 600 bytes for a read, and under 1,000 for a change on a machine', async () => {
    const read = await cost(
      2_000,
      () => ({ tool: 'read_repo_file', risk: 'read_only', shownArgs: '{"path":"docs/architecture.md"}' }),
      null,
    );
    const change = await cost(
      2_000,
      (i) => ({
        ...{
          tool: 'replace_string_in_file',
          risk: 'safe_write',
          machine: 'mini',
          idempotencyKey: `key-${i}`,
        },
        shownArgs: JSON.stringify({ path: 'src/a.ts', old: 'x'.repeat(60), new: 'y'.repeat(60) }),
      }),
      null,
    );
    expect(read).toBeGreaterThan(250);
    expect(read).toBeLessThan(600);
    expect(change).toBeLessThan(1_000);
  });
});
