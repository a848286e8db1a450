import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { recover } from '../../../local-bridge/tools/undo/recover.ts';
import { type Disk, nodeDisk } from '../../../local-bridge/tools/workspace/disk.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { fileRig, type Rig } from '../workspace/rig.ts';
import { crashingAt, type Faulty } from './crashing-disk.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const OLD = 'old content\r\n'.repeat(200);
const files = { 'a/one.txt': OLD, 'a/two.txt': OLD };

/** Whatever writes into the journal. */
const CALLS: Readonly<Record<string, (rig: Rig) => Promise<unknown>>> = {
  'a changed file': (rig) =>
    rig.call('replace_string_in_file', { path: 'a/one.txt', old_string: OLD, new_string: 'new' }),
  'a new file': (rig) => rig.call('create_file', { path: 'a/new.txt', content: OLD }),
  'a new folder': (rig) => rig.call('create_directory', { path: 'a/b' }),
  'several edits': (rig) => rig.call('edit_files', { edits: SEVERAL }),
  'the changes of a command': (rig) => rig.ports.undo.addMade([madeIn(rig, 1), madeIn(rig, 2)]),
};
const SEVERAL = [
  { op: 'replace_all', path: 'a/one.txt', old: 'old', text: 'new' },
  { op: 'delete', path: 'a/two.txt' },
];
const BEFORE = Buffer.from(OLD);

function madeIn({ path }: Rig, n: number) {
  const content = { sha256: '0'.repeat(64), bytes: BEFORE.length, mode: 0o600 };
  const what = { path: `${n}.txt`, kind: 'file' as const, before: content, after: null, parents: [] };
  const root = { name: 'project', path };
  const who = { id: `call_1-${n}`, group: 'call_1', at: Date.now(), tool: 'run_in_terminal', pid: 1 };
  return { entry: { ...who, root, ...what, temporary: null }, before: BEFORE };
}

async function runOn(disk: Faulty, run: (rig: Rig) => Promise<unknown>): Promise<Rig> {
  const rig = fileRig({ files, disk });
  disk.arm();
  await run(rig).catch(() => undefined);
  return rig;
}

/** What a bridge does when it starts. */
async function start(rig: Rig, disk: Disk = nodeDisk): Promise<void> {
  const undo = openUndoJournal(journalOf(rig), { disk });
  const workspace = openWorkspace([{ path: rig.path }], { disk });
  try {
    await recover({ workspace, undo, disk }, Date.now());
  } finally {
    workspace.close();
  }
}

const journalOf = (rig: Rig) => join(rig.base, 'home/undo');
const names = (rig: Rig) =>
  readdirSync(journalOf(rig))
    .filter((name) => name !== 'kept')
    .sort();

/** What the journal may not hold once a start has settled it: anything but whole entries, each with its content. */
function left(rig: Rig): string[] {
  const all = names(rig);
  const ofEntry = (name: string) => all.includes(name.replace(/\.before$/, '.json'));
  return [
    ...all.filter((name) => !name.endsWith('.json') && !(name.endsWith('.before') && ofEntry(name))),
    ...readdirSync(rig.path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp')),
  ];
}

describe.each(Object.entries(CALLS))('%s', (name, run) => {
  const isLong = name === 'several edits';

  it('leaves nothing half in the journal after a kill at any step and the next start', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    await runOn(whole, run);
    expect(whole.steps()).toBeGreaterThan(4);
    for (let step = 1; step <= whole.steps(); step++) {
      const rig = await runOn(crashingAt(step, 'EIO', true), run);
      await start(rig);
      expect(left(rig), `at step ${step}`).toEqual([]);
    }
  }, 120_000);

  it('nor after a second kill, of the start that settles it', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    await runOn(whole, run);
    const stride = AT_LENGTH || !isLong ? 1 : 5;
    for (let step = 1; step <= whole.steps(); step += stride) {
      for (let second = 1, isOver = false; !isOver; second += stride) {
        const rig = await runOn(crashingAt(step, 'EIO', true), run);
        const disk = crashingAt(second, 'EIO', true);
        disk.arm();
        await start(rig, disk).catch(() => undefined);
        isOver = disk.steps() < second;
        await start(rig);
        expect(left(rig), `at step ${step}, then at step ${second}`).toEqual([]);
      }
    }
  }, 240_000);

  it('nor after the disk was full at one step', async () => {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    await runOn(whole, run);
    for (let step = 1; step <= whole.steps(); step++) {
      const rig = await runOn(crashingAt(step, 'ENOSPC', false), run);
      await start(rig);
      expect(left(rig), `at step ${step}`).toEqual([]);
    }
  }, 120_000);
});

describe('a start on a disk that takes nothing', () => {
  /** Leaves several edits half done, and starts while every step on the disk fails with a code. */
  async function startWith(code: string) {
    const whole = crashingAt(Number.POSITIVE_INFINITY, '', false);
    const edits = CALLS['several edits'] ?? (() => Promise.resolve());
    await runOn(whole, edits);
    const rig = await runOn(crashingAt(whole.steps() - 6, 'EIO', true), edits);
    expect(left(rig)).not.toEqual([]);
    const broken = crashingAt(1, code, true);
    const undo = openUndoJournal(journalOf(rig), { disk: broken });
    const workspace = openWorkspace([{ path: rig.path }]);
    broken.arm();
    return { rig, started: recover({ workspace, undo, disk: broken }, Date.now()).finally(workspace.close) };
  }

  it('goes on if the disk is full, and leaves what it could not settle to a later one', async () => {
    const { rig, started } = await startWith('ENOSPC');
    await started;
    expect(left(rig)).not.toEqual([]);
    await start(rig);
    expect(left(rig)).toEqual([]);
  });

  it('says so if the disk is broken in another way', async () => {
    const { started } = await startWith('EIO');
    await expect(started).rejects.toThrow('EIO');
  });
});

describe('what is half in the journal', () => {
  it('is left to a process that may still be writing it', async () => {
    const rig = fileRig();
    const half = `call_1.${process.ppid}.half`;
    writeFileSync(join(journalOf(rig), half), '{');
    writeFileSync(join(journalOf(rig), 'call_1.before'), OLD);
    await start(rig);
    expect(names(rig)).toEqual([half, 'call_1.before'].sort());
    const hourAgo = new Date(Date.now() - 60 * 60 * 1_000);
    utimesSync(join(journalOf(rig), half), hourAgo, hourAgo);
    await start(rig);
    expect(names(rig)).toEqual([]);
  });

  it('never takes the content of an entry that is whole', async () => {
    const rig = fileRig();
    await rig.ports.undo.addMade([madeIn(rig, 1)]);
    const before = names(rig);
    writeFileSync(join(journalOf(rig), `call_1-1.${process.pid}.half`), '{');
    await start(rig);
    expect(names(rig)).toEqual(before);
  });

  it('goes with its time, if an earlier version left it or it was damaged', async () => {
    const rig = fileRig();
    const strays = ['call_1.begun', 'call_2.before', 'call_3.json'];
    const age = (days: number) => {
      for (const name of strays) {
        const then = new Date(Date.now() - days * DAY_MS);
        writeFileSync(join(journalOf(rig), name), '{');
        utimesSync(join(journalOf(rig), name), then, then);
      }
    };
    age(29);
    await start(rig);
    expect(names(rig)).toEqual(strays);
    age(31);
    await start(rig);
    expect(names(rig)).toEqual([]);
  });
});
