import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { findHandlers } from '../../../local-bridge/tools/handlers/find.ts';
import { type Moment, momentNow, QUIET_MS, warmList } from '../../../local-bridge/tools/search/warm-list.ts';
import { makeWarmLists } from '../../../local-bridge/tools/search/warm-lists.ts';
import { openWorkspace } from '../../../local-bridge/tools/workspace/workspace.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { SOON_MS } from '../../support/soon.ts';
import { everyone, WatchedDoor } from '../../support/tools.ts';

const tree = {
  '.gitignore': '*.log\nbuild/\n',
  'a.txt': '',
  'a.log': '',
  'src/b.txt': '',
  'src/deep/c.txt': '',
  'build/out.txt': '',
};

function someTree() {
  const above = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-warm-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  const root = join(above, 'work');
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  mkdirSync(join(root, 'empty', 'inner'), { recursive: true });
  nextTick(above);
  return { root, above };
}

/** Waits until the disk's clock has moved on, so that what comes next has another time. */
function nextTick(folder: string): void {
  const probe = join(folder, 'probe');
  writeFileSync(probe, '');
  const first = statSync(probe).ctimeMs;
  do utimesSync(probe, 0, 0);
  while (statSync(probe).ctimeMs === first);
  unlinkSync(probe);
}

/** As if everything had been quiet for long enough before. */
const later = (): Moment => ({ wall: Date.now() + 2 * QUIET_MS, isConsistent: () => true });

describe('a warm list', () => {
  it('holds as long as nothing changes', async () => {
    const { root } = someTree();
    const list = await warmList(root, ['a.txt'], later());
    expect(list?.paths).toEqual(['a.txt']);
    for (let i = 0; i < 3; i++) expect(list?.isCurrent()).toBe(true);
    writeFileSync(join(root, 'a.txt'), 'another text is no other name');
    expect(list?.isCurrent()).toBe(true);
  });

  const changes: Record<string, (root: string, above: string) => void> = {
    'a file appears': (root) => writeFileSync(join(root, 'new.txt'), ''),
    'a file goes': (root) => unlinkSync(join(root, 'src/deep/c.txt')),
    'a file is renamed': (root) => renameSync(join(root, 'src/b.txt'), join(root, 'src/z.txt')),
    'a file moves between folders': (root) => renameSync(join(root, 'a.txt'), join(root, 'src/a.txt')),
    'a file appears in an empty folder': (root) => writeFileSync(join(root, 'empty/inner/x.txt'), ''),
    'a file appears in an ignored folder': (root) => writeFileSync(join(root, 'build/x.txt'), ''),
    'a folder is swapped for a link': (root, above) => {
      renameSync(join(root, 'src/deep'), join(above, 'deep'));
      symlinkSync('../../deep', join(root, 'src/deep'));
    },
    'a folder is swapped for its twin': (root) => {
      execFileSync('cp', ['-a', join(root, 'src'), join(root, 'twin')]);
      rmSync(join(root, 'src'), { recursive: true });
      renameSync(join(root, 'twin'), join(root, 'src'));
    },
    'a file is added and the time set back': (root) => {
      const { atime, mtime } = statSync(join(root, 'src'));
      writeFileSync(join(root, 'src/new.txt'), '');
      utimesSync(join(root, 'src'), atime, mtime);
    },
    'an ignore file changes in place, time set back': (root) => {
      const { atime, mtime } = statSync(join(root, '.gitignore'));
      writeFileSync(join(root, '.gitignore'), '*.txt\nbuild/\n');
      utimesSync(join(root, '.gitignore'), atime, mtime);
    },
    'an ignore file appears': (root) => writeFileSync(join(root, 'src/.ignore'), 'b.txt\n'),
    'an ignore file appears above': (_root, above) => writeFileSync(join(above, '.gitignore'), '*.txt\n'),
    'a repository begins above': (_root, above) => mkdirSync(join(above, '.git')),
    'the root goes': (root, above) => renameSync(root, join(above, 'elsewhere')),
  };
  it.each(Object.entries(changes))('is thrown away when %s', async (_, change) => {
    const { root, above } = someTree();
    const list = await warmList(root, [], later());
    expect(list?.isCurrent()).toBe(true);
    change(root, above);
    expect(list?.isCurrent()).toBe(false);
  });

  it('is not made of what changed a moment ago', async () => {
    const { root } = someTree();
    expect(await warmList(root, [], momentNow())).toBeUndefined();
    unlinkSync(join(root, '.gitignore'));
    expect(await warmList(root, [], momentNow())).toBeUndefined();
    expect(await warmList(root, [], later())).toBeDefined();
  });

  it('is not made while somebody sets the clock', async () => {
    const { root } = someTree();
    expect(await warmList(root, [], { ...later(), isConsistent: () => false })).toBeUndefined();
    expect(momentNow().isConsistent()).toBe(true);
  });

  it.each<[string, (path: string) => void]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a link', (path) => symlinkSync('a.txt', path)],
    ['a folder', (path) => mkdirSync(path)],
  ])('is not made where an ignore file is %s', async (_, make) => {
    const { root } = someTree();
    make(join(root, '.ignore'));
    expect(await warmList(root, [], later())).toBeUndefined();
  });

  it.each([
    [200, true],
    [201, false],
  ])('watches the text of %i ignore files: %s', async (count, made) => {
    const { root } = someTree();
    for (let i = 1; i < count; i++) {
      mkdirSync(join(root, `d${i}`));
      writeFileSync(join(root, `d${i}`, '.ignore'), '');
    }
    expect((await warmList(root, [], later())) !== undefined).toBe(made);
  });
});

describe('searching with warm lists', () => {
  async function searches(root: string) {
    const workspace = openWorkspace([{ path: root }]);
    const errors: unknown[] = [];
    const report = (error: unknown) => errors.push(error);
    const warm = makeWarmLists({ workspace, report, pauseMs: 0, slowMs: 0, moment: later });
    onTestFinished(async () => {
      await warm.close();
      workspace.close();
      expect(errors).toEqual([]);
    });
    const { file_search } = catalogue;
    const of = (ports: { warm?: typeof warm }) => {
      const tools = toolSet({ file_search }, findHandlers, new WatchedDoor(), { workspace, ...ports });
      return async (args: object) => {
        const result = await tools.get('file_search')?.call(args, everyone);
        if (result?.kind !== 'ok') throw new Error(JSON.stringify(result));
        const { output, metadata } = result.output as { output: string; metadata: object };
        return { output, metadata };
      };
    };
    const [opened] = workspace.roots;
    if (!opened) throw new Error('no root');
    return { cold: of({}), hot: of({ warm }), warm, isWarm: () => warm.current(opened) !== undefined };
  }

  it('answers the same, before and after whatever changes', async () => {
    const { root, above } = someTree();
    writeFileSync(join(root, '.env'), 'SECRET=1');
    nextTick(above);
    const { cold, hot, warm, isWarm } = await searches(root);
    const same = async () => {
      for (const args of [
        { pattern: '**' },
        { pattern: '*.txt' },
        { pattern: 'src/**/*.txt' },
        { pattern: '*', base_path: 'build' },
        { pattern: '.env' },
      ]) {
        expect(await hot(args)).toEqual(await cold(args));
      }
    };
    await same();
    for (const change of [
      () => writeFileSync(join(root, 'src/new.txt'), ''),
      () => writeFileSync(join(root, '.gitignore'), 'src/\n'),
      () => unlinkSync(join(root, '.gitignore')),
      () => renameSync(join(root, 'src'), join(root, 'source')),
    ]) {
      await vi.waitFor(
        async () => {
          await hot({ pattern: '**' });
          await warm.settled();
          expect(isWarm()).toBe(true);
        },
        { timeout: SOON_MS },
      );
      nextTick(above);
      change();
      expect(isWarm()).toBe(false);
      nextTick(above);
      await same();
    }
  });

  it('makes none while the last attempt is recent, nor after it is closed', async () => {
    const { root } = someTree();
    const workspace = openWorkspace([{ path: root }]);
    const [opened] = workspace.roots;
    if (!opened) throw new Error('no root');
    const warm = makeWarmLists({ workspace, report: () => undefined, slowMs: 40 });
    warm.searched(opened, 39);
    await warm.settled();
    expect(warm.current(opened)).toBeUndefined();
    await warm.close();
    warm.searched(opened, 1_000);
    await warm.settled();
    expect(warm.current(opened)).toBeUndefined();
    workspace.close();
  });
});
