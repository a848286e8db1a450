import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { backUpDay, backUpEachDay, isBackedUp } from '../../../local-bridge/cli/backup/daily.ts';

const HOUR = 3_600_000;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function stateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-daily-'));
  folders.push(folder);
  writeFileSync(join(folder, 'owner-key'), 'a key', { mode: 0o600 });
  return folder;
}

/** A gateway whose settings are empty, and whose answers can fail. */
const owner = (isDown = () => false) => ({
  call: async (_: string, path: string) => {
    if (isDown()) throw new Error('gone');
    return path === 'rules' ? { rules: [] } : { value: null };
  },
});

describe('the backup of each day', () => {
  it('is made once a day, closed to others, and ten are kept', async () => {
    const folder = stateFolder();
    for (let day = 1; day <= 12; day++) await backUpDay(owner(), folder, new Date(Date.UTC(2026, 0, day)));
    const kept = readdirSync(join(folder, 'backups'));
    expect(kept).toHaveLength(10);
    expect(kept).not.toContain('2026-01-02');
    expect(kept).toContain('2026-01-12');
    expect(statSync(join(folder, 'backups')).mode & 0o077).toBe(0);
    expect(statSync(join(folder, 'backups', '2026-01-12', 'owner-key')).mode & 0o077).toBe(0);
  });

  it('that broke off is made again', async () => {
    const folder = stateFolder();
    const today = new Date(Date.UTC(2026, 0, 1));
    let isDown = true;
    await expect(
      backUpDay(
        owner(() => isDown),
        folder,
        today,
      ),
    ).rejects.toThrow('gone');
    expect(existsSync(join(folder, 'backups', '2026-01-01'))).toBe(true);
    expect(isBackedUp(folder, today)).toBe(false);
    isDown = false;
    await backUpDay(
      owner(() => isDown),
      folder,
      today,
    );
    expect(isBackedUp(folder, today)).toBe(true);
  });

  it('is looked after as long as the gateway runs, also after one that failed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const act = vi.fn(async () => {});
    const complain = vi.fn();
    act.mockRejectedValueOnce(new Error('no'));
    const end = await backUpEachDay(act, complain);
    expect([act.mock.calls.length, complain.mock.calls.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(3 * HOUR);
    expect([act.mock.calls.length, complain.mock.calls.length]).toEqual([4, 1]);
    end();
    await vi.advanceTimersByTimeAsync(3 * HOUR);
    expect(act).toHaveBeenCalledTimes(4);
  });
});
