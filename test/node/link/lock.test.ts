import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../local-bridge/agent/link/lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lock = () => join(folder, 'lock');
const held = () => JSON.parse(readFileSync(lock(), 'utf8')) as { pid: number; started: string | null };
/** The id of a process that was here and is gone. */
const gone = () => spawnSync(process.execPath, ['--version']).pid;

describe('a journal’s folder', () => {
  it('is one process’s alone, and anybody’s again when it is released', () => {
    const release = lockFolder(folder);
    expect(held().pid).toBe(process.pid);
    expect(() => lockFolder(folder)).toThrow(/Another bowline process already connects/);
    release();
    expect(existsSync(lock())).toBe(false);
    lockFolder(folder)();
  });

  it.each([
    ['whose process is gone', () => JSON.stringify({ pid: gone(), started: null })],
    [
      'whose number another process has by now',
      () => JSON.stringify({ pid: process.pid, started: 'long ago' }),
    ],
    ['that was cut off as it was written', () => '{"pid":'],
    ['that is no lock', () => '[]'],
    ['without a process', () => '{"pid":"1"}'],
  ])('is taken over from a lock %s', (_, text) => {
    writeFileSync(lock(), text());
    const releases: (() => void)[] = [];
    expect(() => releases.push(lockFolder(folder))).not.toThrow();
    expect(held().pid).toBe(process.pid);
    for (const release of releases) release();
  });

  it('is not released for whoever has it by now', () => {
    const release = lockFolder(folder);
    const other = JSON.stringify({ pid: process.ppid, started: null });
    writeFileSync(lock(), other);
    release();
    expect(readFileSync(lock(), 'utf8')).toBe(other);
  });
});
