import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { recover } from '../../../local-bridge/tools/undo/recover.ts';
import { entriesOfCall, undoCall } from '../../../local-bridge/tools/undo/undo-call.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { fileRig, type Rig } from '../workspace/rig.ts';
import { crashingAt, type Faulty } from './crashing-disk.ts';

/** Every how many of the steps one is broken. Each takes a workspace of its own. */
const STRIDE = AT_LENGTH ? 1 : 3;
const OLD = 'old content\r\n'.repeat(300);
const files = { 'a/one.txt': OLD, 'a/two.txt': OLD, 'b/gone.txt': OLD };
const edits = [
  { op: 'replace_all', path: 'a/one.txt', old: 'old', text: 'new' },
  { op: 'move', path: 'a/two.txt', to: 'c/d/two.txt' },
  { op: 'delete', path: 'b/gone.txt' },
  { op: 'create', path: 'b/made.txt', text: OLD },
];

/** All that is in the folder, by path; null for a folder. */
const everything = (rig: Rig): Record<string, string | null> =>
  Object.fromEntries(
    readdirSync(rig.path, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => [path, lstatSync(rig.at(path)).isFile() ? readFileSync(rig.at(path), 'utf8') : null]),
  );
const runOn = async (disk: Faulty) => {
  const rig = fileRig({ files, disk });
  disk.arm();
  const result = await rig.call('edit_files', { edits }).catch(() => undefined);
  return { rig, isOk: result?.kind === 'ok' };
};
/** What the bridge does when it starts. */
async function start(rig: Rig, disk = nodeDisk) {
  const undo = openUndoJournal(`${rig.base}/home/undo`, { disk });
  const workspace = openWorkspace([{ path: rig.path }], { disk });
  const ports = { workspace, undo, disk };
  try {
    await recover(ports, Date.now());
  } finally {
    workspace.close();
  }
  return ports;
}

describe('several edits', () => {
  it('are all made or none, when they are cut off at any step', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    const before = everything(fileRig({ files }));
    const after = everything((await runOn(whole)).rig);
    const steps = whole.steps();
    expect(steps).toBeGreaterThan(40);
    const ends = new Set<unknown>();
    for (let step = 1; step <= steps; step += STRIDE) {
      const { rig, isOk } = await runOn(crashingAt(step, 'EIO', true));
      const { undo } = await start(rig);
      const now = everything(rig);
      ends.add(JSON.stringify(now));
      expect([before, after], `at step ${step}`).toContainEqual(now);
      if (isOk) expect(now, `at step ${step}`).toEqual(after);
      expect(undo.unfinished(), `at step ${step}`).toEqual([]);
      const isMade = JSON.stringify(now) === JSON.stringify(after);
      expect(undo.list().length, `at step ${step}`).toBe(isMade ? 5 : 0);
    }
    expect(ends.size).toBe(2);
  }, 120_000);

  it('are taken back at once when one step fails', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    const before = everything(fileRig({ files }));
    const after = everything((await runOn(whole)).rig);
    for (let step = 1; step <= whole.steps(); step += STRIDE) {
      const { rig, isOk } = await runOn(crashingAt(step, 'ENOSPC', false));
      if (!isOk && JSON.stringify(everything(rig)) !== JSON.stringify(before)) await start(rig);
      expect(everything(rig), `at step ${step}`).toEqual(isOk ? after : before);
    }
  }, 120_000);

  it('are taken back also if the start that takes them back is cut off', async () => {
    const before = everything(fileRig({ files }));
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    const after = everything((await runOn(whole)).rig);
    const half = whole.steps() - 10;
    for (let step = 1; step <= 30; step += STRIDE) {
      const { rig } = await runOn(crashingAt(half, 'EIO', true));
      const disk = crashingAt(step, 'EIO', true);
      disk.arm();
      await start(rig, disk).catch(() => undefined);
      await start(rig);
      expect([before, after], `at step ${step}`).toContainEqual(everything(rig));
    }
  }, 120_000);

  it('leave alone what somebody else changed before the next start', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    await runOn(whole);
    for (let step = whole.steps() - 14; step <= whole.steps() - 6; step++) {
      const { rig } = await runOn(crashingAt(step, 'EIO', true));
      writeFileSync(rig.at('a/one.txt'), 'mine');
      await start(rig);
      expect(readFileSync(rig.at('a/one.txt'), 'utf8')).toBe('mine');
    }
  }, 60_000);
});

describe('undoing several edits', () => {
  it('is done for all or none, when it is cut off at any step', async () => {
    const before = everything(fileRig({ files }));
    const undone = async (disk: Faulty) => {
      const rig = fileRig({ files, disk });
      await rig.call('edit_files', { edits });
      const after = everything(rig);
      disk.arm();
      const entries = entriesOfCall('call_1', rig.ports.undo);
      await undoCall(entries, { id: 'undo_1', tool: 'undo' }, rig.ports).catch(() => undefined);
      return { rig, after };
    };
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    expect(everything((await undone(whole)).rig)).toEqual(before);
    for (let step = 1; step <= whole.steps(); step += STRIDE) {
      const { rig, after } = await undone(crashingAt(step, 'EIO', true));
      await start(rig);
      const now = everything(rig);
      // Folders that the call had made may be left, empty.
      const filesOf = (all: object) =>
        JSON.stringify(Object.entries(all).filter(([, content]) => content !== null));
      expect([filesOf(before), filesOf(after)], `at step ${step}`).toContain(filesOf(now));
    }
  }, 120_000);
});
