import { runInDurableObject } from 'cloudflare:test';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SOON_MS } from '../../support/soon.ts';
import { post } from '../http.ts';
import { gateNamed } from './rig.ts';

/** The gate of the gateway that the tests speak to. */
const inGate = <T>(act: (sql: SqlStorage) => T) =>
  runInDurableObject(gateNamed('owner'), (_, state) => act(state.storage.sql));

const rowsOf = (table: string) =>
  inGate((sql) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n);

const counted = () =>
  inGate((sql) =>
    sql.exec('SELECT code, sum(n) AS n FROM refusal_count GROUP BY code ORDER BY code').toArray(),
  );

const MINUTES = 4;
const A_MINUTE = 130;

it(`${MINUTES} minutes of accepted calls of strangers leave no row, and the limit of a minute holds`, async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let letIn = 0;
  for (let minute = 0; minute < MINUTES; minute++) {
    for (let i = 0; i < A_MINUTE; i += 10) {
      const some = Array.from({ length: 10 }, async (_, j) => {
        const from = { 'cf-connecting-ip': `203.0.113.${(i + j) % 50}` };
        const response = await post('hello', JSON.stringify({ name: 'x'.repeat(100) }), from);
        await response.body?.cancel();
        expect([200, 429]).toContain(response.status);
        if (response.status === 200) letIn += 1;
      });
      await Promise.all(some);
    }
    vi.setSystemTime(Date.now() + 60_001);
  }
  expect(letIn).toBe(MINUTES * 100);
  // Ends travel a moment after the answer.
  await expect.poll(counted, { timeout: SOON_MS }).toEqual([
    { code: 'ok', n: MINUTES * 100 },
    { code: 'rate_limited', n: MINUTES * (A_MINUTE - 100) },
  ]);
  expect(await rowsOf('call')).toBe(0);
  expect(await rowsOf('call_end')).toBe(0);
  expect(await rowsOf('asked')).toBeLessThanOrEqual(100);
  // One row an hour for each outcome.
  expect(await rowsOf('refusal_count')).toBeLessThanOrEqual(4);
});
