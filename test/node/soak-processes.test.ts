import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { canLookAtProcesses, whileStopped } from '../soak/processes.ts';
import { SOON_MS } from '../support/soon.ts';

/** A program that the soak takes for a bridge, and that counts in a file as quickly as it can. */
async function startCounting() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-stopped-')));
  const file = join(base, 'count');
  const count = `for (let n = 1; ; n++) fs.writeFileSync(${JSON.stringify(file)}, String(n));`;
  const child = spawn(process.execPath, ['--eval', count, 'bin.mjs connect'], { cwd: base });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(base, { recursive: true, force: true });
  });
  const counted = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  const goesOn = async () => {
    const before = counted();
    await vi.waitUntil(() => counted() > before, { timeout: SOON_MS });
  };
  await vi.waitUntil(() => counted() > 0, { timeout: SOON_MS });
  return { of: { mark: 'none', base }, counted, goesOn };
}

it.runIf(canLookAtProcesses)('lets a folder be copied while nobody writes in it', async () => {
  const { of, counted, goesOn } = await startCounting();
  await whileStopped(of, 'bridge', async () => {
    const seen = new Set<number>();
    for (let look = 0; look < 50; look++) seen.add(counted());
    expect(seen.size).toBe(1);
  });
  await goesOn();
});

it.runIf(canLookAtProcesses)('lets go on what it stopped, whatever came of it', async () => {
  const { of, goesOn } = await startCounting();
  const copied = whileStopped(of, 'bridge', () => {
    throw new Error('there is no room for a copy');
  });
  await expect(copied).rejects.toThrow('no room');
  await goesOn();
});
