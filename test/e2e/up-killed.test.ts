import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { startUp } from '../support/up.ts';

const home = mkdtempSync(join(tmpdir(), 'bowline-killed-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('leaves nothing behind when somebody kills `bowline up`, and starts again from its state', async () => {
  const start = () => startUp({ home, opensNothing: true, args: ['--state', join(home, 'state')] });
  const first = await start();
  const answers = () =>
    fetch(`${first.ready.rest}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  expect(await answers()).toBe(true);
  process.kill(first.ready.pid, 'SIGKILL');
  // Two runtimes would write to the same databases.
  await vi.waitUntil(async () => !(await answers()), { timeout: 30_000, interval: 50 });
  const second = await start();
  onTestFinished(() => void second.stop());
  expect(second.ready.owner_key).toBe(first.ready.owner_key);
  expect(await second.stop()).toBe(0);
});
