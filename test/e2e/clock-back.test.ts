import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { startUp, type Up } from '../support/up.ts';

const base = mkdtempSync(join(tmpdir(), 'bowline-clock-'));
const state = join(base, 'state');
afterAll(() => rmSync(base, { recursive: true, force: true }));

const start = () => startUp({ home: join(base, 'home'), opensNothing: true, args: ['--state', state] });
const TWO_DAYS = 2 * 86_400_000;

/** Moves all that was written into the future: a clock that was set back leaves the same behind. */
function moveOn(object: string, statements: readonly string[]): void {
  for (const file of globSync(`gateway/v3/do/bowline-${object}/*.sqlite`, { cwd: state })) {
    if (file.includes('metadata')) continue;
    const database = new DatabaseSync(join(state, file));
    // The ledger is written once, so the triggers that say so stand aside for a moment.
    const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
    for (const statement of statements) database.exec(statement.replaceAll('+', `+ ${TWO_DAYS}`));
    for (const { sql } of triggers) database.exec(String(sql));
    database.close();
  }
}

const call = async ({ ready }: Up, tool: string, args: object) =>
  fetch(`${ready.rest}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` },
    body: JSON.stringify(args),
  });
const greet = async (up: Up) => (await call(up, 'hello', {})).status;

it('serves on at once after the clock was set back by two days', async () => {
  const before = await start();
  const greeted: number[] = [];
  while (greeted.at(-1) !== 429) greeted.push(await greet(before));
  expect(greeted.length).toBeGreaterThan(90);
  await before.stop();
  moveOn('GateObject', ['UPDATE call SET at = at +', 'UPDATE call_end SET at = at +']);
  moveOn('OwnerObject', [
    'UPDATE token SET created_at = created_at +, expires_at = expires_at +, seen_at = seen_at +',
    'UPDATE session SET created_at = created_at +, expires_at = expires_at +, seen_at = seen_at +',
    'UPDATE attempt SET at = at +',
  ]);
  moveOn('MachineObject', ['UPDATE call SET started_at = started_at +, expires_at = expires_at +']);
  const after = await start();
  try {
    expect(await greet(after)).toBe(200);
    expect((await call(after, 'list_dir', { path: '.' })).status).toBe(200);
  } finally {
    await after.stop();
  }
});
