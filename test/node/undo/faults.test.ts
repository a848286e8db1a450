import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { recover } from '../../../local-bridge/tools/undo/recover.ts';
import { nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { failureOf, fileRig, type Rig } from '../workspace/rig.ts';
import { crashingAt, type Faulty } from './crashing-disk.ts';

const OLD = 'old content\r\n'.repeat(500);
const NEW = `new content\r\n${'old content\r\n'.repeat(499)}`;

const changes = {
  'replacing a string': {
    run: (rig: Rig) =>
      rig.call('replace_string_in_file', { path: 'a/f.txt', old_string: 'old', new_string: 'new' }),
    path: 'a/f.txt',
    before: OLD,
    after: NEW,
  },
  'creating a file': {
    run: (rig: Rig) => rig.call('create_file', { path: 'b/new.txt', content: NEW }),
    path: 'b/new.txt',
    before: undefined,
    after: NEW,
  },
};

const contentOf = (rig: Rig, path: string) => {
  try {
    return readFileSync(rig.at(path), 'utf8');
  } catch {
    return undefined;
  }
};
/** Runs the change as far as the disk lets it. */
const runOn = async (disk: Faulty, run: (rig: Rig) => Promise<unknown>) => {
  const rig = fileRig({ files: { 'a/f.txt': OLD, 'b/': '' }, disk });
  disk.arm();
  await run(rig).catch(() => undefined);
  return rig;
};

describe.each(Object.entries(changes))('%s', (_, { run, path, before, after }) => {
  it('leaves the old or the new content, whole, when it is cut off at any step', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    expect(contentOf(await runOn(whole, run), path)).toBe(after);
    const steps = whole.steps();
    expect(steps).toBeGreaterThan(8);
    const ends = new Set<string | undefined>();
    for (let step = 1; step <= steps; step++) {
      const rig = await runOn(crashingAt(step, 'EIO', true), run);
      const content = contentOf(rig, path);
      ends.add(content);
      expect([before, after], `at step ${step}`).toContain(content);

      // The next start finds out what happened, and leaves only what is meant to be there.
      const undo = openUndoJournal(`${rig.base}/home/undo`);
      const workspace = openWorkspace([{ path: rig.path }]);
      await recover({ workspace, undo, disk: nodeDisk }, Date.now());
      workspace.close();
      expect(contentOf(rig, path)).toBe(content);
      const names = readdirSync(rig.path, { recursive: true });
      expect(names.filter((name) => String(name).endsWith('.tmp'))).toEqual([]);
      if (content !== undefined) expect(lstatSync(rig.at(path)).nlink).toBe(1);
      expect(undo.unfinished()).toEqual([]);
      expect(undo.list().length).toBe(content === after ? 1 : 0);
      if (content === after && before !== undefined) {
        expect(undo.list().map((entry) => undo.contentBefore(entry)?.toString())).toEqual([before]);
      }
    }
    expect(ends.size).toBe(2);
  });

  it.each(['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EFBIG'])('fails whole at a single %s', async (code) => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    await runOn(whole, run);
    for (let step = 1; step <= whole.steps(); step++) {
      const disk = crashingAt(step, code, false);
      const rig = fileRig({ files: { 'a/f.txt': OLD, 'b/': '' }, disk });
      disk.arm();
      const result = await run(rig).catch(() => undefined);
      const content = contentOf(rig, path);
      expect([before, after], `at step ${step}`).toContain(content);
      if (result?.kind === 'failed') {
        expect(['write_failed', 'permission_denied']).toContain(failureOf(result).code);
      }
    }
  });
});

describe('a real disk that is full', () => {
  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('loses nothing', async () => {
    const { execFileSync } = await import('node:child_process');
    const rig = fileRig();
    mkdirSync(rig.at('small'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', rig.at('small')], {
        stdio: 'ignore',
      });
    } catch {
      return; // Where nothing may be mounted, the injected failures above have to do.
    }
    try {
      writeFileSync(rig.at('small/f.txt'), `old${'x'.repeat(150_000)}`);
      const path = 'small/f.txt';
      const call = { path, old_string: 'old', new_string: 'new' };
      expect(failureOf(await rig.call('replace_string_in_file', call))).toEqual({
        code: 'write_failed',
        message: "Cannot change file 'small/f.txt' - the disk is full",
      });
      const made = await rig.call('create_file', { path: 'small/g.txt', content: 'x'.repeat(200_000) });
      expect(failureOf(made).code).toBe('write_failed');
      expect(readFileSync(rig.at(path), 'utf8')).toBe(`old${'x'.repeat(150_000)}`);
      expect(readdirSync(rig.at('small'))).toEqual(['f.txt']);
      expect(rig.ports.undo.list()).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', rig.at('small')]);
    }
  });
});

describe('recovery', () => {
  const changeOfOurParent = (path: string) => ({
    id: 'call_other',
    at: Date.now(),
    tool: 'create_file',
    root: { name: 'project', path },
    path: 'new.txt',
    kind: 'file' as const,
    before: null,
    after: null,
    parents: [],
    temporary: '.bowline-x.tmp',
    pid: process.ppid,
  });

  it('leaves the change of a process that still runs to it', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    const entry = changeOfOurParent(rig.path);
    await rig.ports.undo.begin(entry);
    writeFileSync(rig.at('.bowline-x.tmp'), 'half');
    await recover(rig.ports, entry.at + 1_000);
    expect(rig.ports.undo.unfinished()).toHaveLength(1);
    expect(readdirSync(rig.path)).toContain('.bowline-x.tmp');
    await recover(rig.ports, entry.at + 60 * 60 * 1000);
    expect(rig.ports.undo.unfinished()).toEqual([]);
    expect(readdirSync(rig.path)).toEqual(['f.txt']);
  });

  it('settles the change of a killed process whose number another one has by now', async () => {
    const rig = fileRig({ files: { 'f.txt': 'old' } });
    const entry = { ...changeOfOurParent(rig.path), started: 'long ago' };
    await rig.ports.undo.begin(entry);
    writeFileSync(rig.at('.bowline-x.tmp'), 'half');
    await recover(rig.ports, entry.at + 1_000);
    expect(rig.ports.undo.unfinished()).toEqual([]);
    expect(readdirSync(rig.path)).toEqual(['f.txt']);
  });

  it('leaves folders alone that are not open now', async () => {
    const rig = fileRig();
    const other = fileRig({ files: { '.bowline-x.tmp': '' } });
    linkSync(other.at('.bowline-x.tmp'), other.at('y'));
    const entry = { id: 'c', at: 0, tool: 't', path: 'y', kind: 'file' as const, before: null, after: null };
    const root = { name: 'project', path: other.path };
    await rig.ports.undo.begin({ ...entry, root, parents: [], temporary: '.bowline-x.tmp', pid: 1 });
    await recover(rig.ports, 60 * 60 * 1000);
    expect(readdirSync(other.path)).toEqual(['.bowline-x.tmp', 'y']);
    expect(rig.ports.undo.unfinished()).toHaveLength(1);
  });
});
