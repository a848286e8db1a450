import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { DayFacts, Health } from '../../../local-bridge/cli/doctor/facts.ts';
import { gatewaySection } from '../../../local-bridge/cli/doctor/gateway.ts';
import { BILLS } from '../../../src/gate/day-use.ts';
import { MIRROR, STORAGE } from '../../support/doctor-gateway.ts';

const OPERATIONS = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

const PERFORMANCE = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');

const nothing = { calls: 0, requests: 0, objects: 0, rows_read: 0, rows_written: 0 };

/** What doctor says of the plan when a gateway had such a day. */
async function planOf(yesterday: Health['yesterday'], isBilled = true) {
  const health: Health = {
    version: '0.1.0',
    time: 0,
    settings: { owner_key: true, memory_key: true, github: null },
    storage: STORAGE,
    memory: { value: { seq: 1, checkpoint: 1, locked: null } },
    mirror: { value: MIRROR },
    machines: { value: [] },
    yesterday,
  };
  const findings = [];
  const section = gatewaySection(async () => ({ health, isBilled, now: 0 }));
  for await (const finding of section.look()) findings.push(finding);
  return findings.find(({ check }) => check === 'plan');
}
const day = (use: Partial<DayFacts>) => planOf({ value: { ...nothing, ...use } });

it('says how much of the free plan yesterday took, by what comes nearest to its limit', async () => {
  expect(await day({ calls: 1, rows_written: 1 })).toMatchObject({
    state: 'ok',
    found: 'the 1 call of yesterday took under 1 % of a day of the free plan (rows written)',
  });
  expect(await day({ calls: 2_000, rows_read: 1_000_000, objects: 10_000 })).toMatchObject({
    state: 'ok',
    found: 'the 2,000 calls of yesterday took some 20 % of a day of the free plan (rows read)',
  });
});

it('warns from seven tenths on', async () => {
  expect(await day({ objects: 69_999 })).toMatchObject({ state: 'ok' });
  for (const objects of [70_000, 70_001, 400_000])
    expect(await day({ objects })).toMatchObject({ state: 'warning' });
});

it('is silent about a gateway that Cloudflare does not run, or that does not say', async () => {
  expect(await planOf({ value: { ...nothing, objects: 90_000 } }, false)).toBeUndefined();
  expect(await planOf(undefined)).toBeUndefined();
});

it('says so when they could not be counted', async () => {
  expect(await planOf({ why: 'It failed.' })).toMatchObject({
    state: 'skipped',
    found: 'the calls of yesterday could not be counted: It failed.',
  });
});

/** The figures of a row of docs/operations.md: requests, requests to objects, rows read and written. */
const measured = (what: string) => {
  const row = OPERATIONS.split('\n').find((line) => line.startsWith(`| ${what}`));
  const [, , requests, objects, rows_read, rows_written] = (row ?? '').split('|').map((cell) => Number(cell));
  return { requests, objects, rows_read, rows_written };
};
/** A change leaves four rows that are dropped a day later. */
const withLater = (bill: ReturnType<typeof measured>) => ({
  ...bill,
  rows_written: (bill.rows_written ?? Number.NaN) + 4,
});

/** The rows that a search for a word of 1,000 files reads, up to the next thousand. */
const searched = () => {
  const row = PERFORMANCE.split('\n').find((line) =>
    line.startsWith('| `search`, a word that all files have |'),
  );
  return Math.ceil(Number(row?.split('|')[2]?.replace(',', '')) / 1_000) * 1_000;
};

it('counts as docs/operations.md measures', () => {
  expect(BILLS).toEqual({
    read: measured('`hello`'),
    search: { ...measured('`search`'), rows_read: searched() },
    readOnMachine: measured('`read_file` on a machine'),
    change: withLater(measured('`create_file` on a machine, by a rule')),
    changeAfterYes: withLater(measured('`create_file` on a machine, after a yes')),
  });
});
