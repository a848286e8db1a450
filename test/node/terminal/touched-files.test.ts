import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type OpenBelow,
  snapshotOf,
  touchedBetween,
} from '../../../local-bridge/tools/terminal/touched-files.ts';
import { openWorkspace, type Workspace } from '../../../local-bridge/tools/workspace/workspace.ts';

let base: string;
let root: string;
let workspace: Workspace;
let open: OpenBelow;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-touched-')));
  root = join(base, 'shop');
  mkdirSync(join(root, 'state'), { recursive: true });
  workspace = openWorkspace([{ name: 'shop', path: root }], { closed: [join(root, 'state')] });
  const [held] = workspace.roots;
  if (!held) throw new Error('There is no root.');
  open = (path) => workspace.folder(held, path);
});
afterEach(() => {
  workspace.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (...names: string[]) => join(root, ...names);
const write = (path: string, text = 'x') => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(at(path), text);
};

/** What is found to have changed while something happens. */
async function touchedBy(change: () => void, maxEntries?: number) {
  const before = await snapshotOf(open, maxEntries);
  change();
  return touchedBetween(before, await snapshotOf(open, maxEntries));
}

describe('files that changed below a folder', () => {
  it('are known by more than their size and time, which anybody can set', async () => {
    write('a', 'one');
    const past = new Date(1_000_000_000_000);
    utimesSync(at('a'), past, past);
    const { paths } = await touchedBy(() => {
      write('a', 'two');
      utimesSync(at('a'), past, past);
    });
    expect(paths).toEqual(['a']);
  });

  it('are all of a folder that came or went', async () => {
    write('old/a');
    write('old/b/c');
    const { paths } = await touchedBy(() => renameSync(at('old'), at('new')));
    expect(paths).toEqual(['new/a', 'new/b/c', 'old/a', 'old/b/c']);
  });

  it('are a file and what was in the folder that it replaced', async () => {
    write('a/b');
    const { paths } = await touchedBy(() => {
      rmSync(at('a'), { recursive: true });
      write('a');
    });
    expect(paths).toEqual(['a', 'a/b']);
  });

  it('are none of what git and package managers keep, nor of what is closed to tools', async () => {
    for (const path of ['.git/index', 'node_modules/x/y', 'state/key']) write(path, 'old');
    const { paths, isPartial } = await touchedBy(() => {
      for (const path of ['.git/index', 'node_modules/x/y', 'state/key', 'state/more']) write(path, 'newer');
    });
    expect([paths, isPartial]).toEqual([[], false]);
  });

  it('are looked for behind no link, also where a folder became one', async () => {
    mkdirSync(join(base, 'secret'));
    writeFileSync(join(base, 'secret', 'key'), 'k');
    write('a/b');
    const { paths } = await touchedBy(() => {
      rmSync(at('a'), { recursive: true });
      symlinkSync(join(base, 'secret'), at('a'));
    });
    expect(paths).toEqual(['a', 'a/b']);
  });

  it('are named so that nothing in a name misleads', async () => {
    const { paths } = await touchedBy(() => write('a\u202e\nb'));
    expect(paths).toEqual(['a\\u{202e}\\nb']);
  });

  it('are named up to a hundred, and the rest counted', async () => {
    const touched = await touchedBy(() => {
      for (let i = 0; i < 103; i++) write(`f${i}`);
    });
    expect([touched.paths.length, touched.more]).toEqual([100, 3]);
  });

  it('are not guessed at where it was not looked', async () => {
    for (let i = 0; i < 5; i++) write(`a/f${i}`);
    write('a/deep/er/x', 'old');
    const { paths, isPartial } = await touchedBy(() => {
      write('a/deep/er/x', 'new');
      write('made');
    }, 4);
    expect([paths, isPartial]).toEqual([['made'], true]);
  });
});
