import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { REFUSED_ROWS_A_MINUTE } from '../../../src/gate/refusals.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { SOON_MS } from '../../support/soon.ts';
import { post } from '../http.ts';
import { gateNamed, openRig } from './rig.ts';
import { sendBy } from './ways.ts';

/** The gate of the gateway that the tests speak to. */
const inGate = <T>(act: (sql: SqlStorage) => T) =>
  runInDurableObject(gateNamed('owner'), (_, state) => act(state.storage.sql));

const rowsOf = (sql: SqlStorage) =>
  sql.exec<{ n: number }>('SELECT (SELECT count(*) FROM call) + (SELECT count(*) FROM call_end) AS n').one()
    .n;

const BIG = JSON.stringify({ name: 'x', more: Array(12).fill('y'.repeat(1_900)) });

/** As many anonymous calls as that, some at a time, and their statuses. */
async function flood(count: number, addressOf: (i: number) => string, body = BIG, tool = 'hello') {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 20) {
    const some = Array.from({ length: Math.min(20, count - i) }, async (_, j) => {
      const response = await post(tool, body, { 'cf-connecting-ip': addressOf(i + j) });
      await response.body?.cancel();
      statuses.push(response.status);
    });
    await Promise.all(some);
  }
  return statuses;
}

const FLOOD = AT_LENGTH ? 4_000 : 1_000;

describe(`${FLOOD} refused calls of strangers with big bodies`, () => {
  it('add no row and next to nothing to the database, and are counted', async () => {
    await inGate((sql) => sql.exec('SELECT 1'));
    const before = await inGate((sql) => ({ rows: rowsOf(sql), bytes: sql.databaseSize }));
    const statuses = await flood(FLOOD, (i) => `203.0.113.${i % 50}`);
    expect(new Set(statuses)).toEqual(new Set([400]));
    const counted = () =>
      inGate((sql) =>
        sql.exec('SELECT principal, tool, code, sum(n) AS n FROM refusal_count GROUP BY 1, 2, 3').toArray(),
      );
    // Ends travel a moment after the answer.
    await expect
      .poll(counted, { timeout: SOON_MS })
      .toEqual([{ principal: 'anybody', tool: 'hello', code: 'invalid_input', n: FLOOD }]);
    const after = await inGate((sql) => ({ rows: rowsOf(sql), bytes: sql.databaseSize }));
    expect(after.rows).toBe(before.rows);
    // Twelve bytes a call, of bodies of 22,000.
    expect(after.bytes - before.bytes).toBeLessThan(FLOOD * 12);
  });
});

describe('one address whose calls come to nothing', () => {
  it.each([
    ['arguments that do not fit', 'hello', '{"name":1}', 400],
    ['a body that is no JSON', 'hello', '{', 400],
    ['an unknown tool', 'no_such_tool', '{}', 404],
  ])('waits after 120 in a minute: %s', async (_, tool, body, status) => {
    const address = `2001:db8:${status}:${body.length}::1`;
    const statuses = await flood(130, () => address, body, tool);
    expect(statuses.filter((one) => one === status).length).toBeGreaterThanOrEqual(120);
    expect(statuses.at(-1)).toBe(429);
    // Nobody else does.
    expect(await flood(1, () => '198.51.100.77', body, tool)).toEqual([status]);
  });
});

describe('a caller with a token whose calls are refused', () => {
  it('leaves the beginning of the arguments and no more', async () => {
    const rig = openRig();
    await rig.gate().changeSetting('rates', { desk_keep: 0 });
    const args = { path: 'a', content: 'b'.repeat(1_900) };
    await sendBy('rest', rig, { tool: 'desk_keep', args });
    const [row] = await rig.ledger();
    expect(row).toMatchObject({ code: 'rate_limited' });
    expect(row?.args.length).toBeLessThan(1_200);
    expect(row?.args).toContain('"…":');
  });

  it('gets sixty rows a minute, and is counted from there on', async () => {
    // All in one minute, however slow the machine is.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const rig = openRig();
    await rig.gate().changeSetting('rates', { desk_look: 0 });
    for (let i = 0; i < REFUSED_ROWS_A_MINUTE + 40; i++) await sendBy('rest', rig, { tool: 'desk_look' });
    const rows = await rig.ledger({ limit: 200 });
    const counted = await rig.gate().counted();
    const total = rows.length + counted.reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(REFUSED_ROWS_A_MINUTE + 40);
    expect(rows.length).toBe(REFUSED_ROWS_A_MINUTE);
    expect(new Set(counted.map(({ code }) => code))).toEqual(new Set(['rate_limited']));
  });
});
