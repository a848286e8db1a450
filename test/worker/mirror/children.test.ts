import { describe, expect, it } from 'vitest';
import type { Mirror } from '../../../src/mirror/mirror-port.ts';
import { newMirror, pushed } from './support.ts';

const ALL = { open: ['**'] };

async function mirrorOf(files: readonly string[]): Promise<Mirror> {
  const mirror = newMirror();
  await pushed(mirror, 'one', Object.fromEntries(files.map((path) => [path, path])), ALL);
  return mirror;
}

async function listed(mirror: Mirror, folder: string, limit = 200) {
  const names: string[] = [];
  const pages: number[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page = await mirror.stub().children(folder, after, limit);
    if (!page) throw new Error('nothing is mirrored');
    names.push(...page.children.map(({ kind, path }) => (kind === 'folder' ? `${path}/` : path)));
    pages.push(page.children.length);
    after = page.next;
  }
  return { names, pages };
}

describe('a folder of the mirror', () => {
  const files = ['a', 'a.md', 'a/b', 'a/c/d', 'a/c/e', 'a0', 'a\u{10000}', 'a\uffee', 'z/y/x', '\u{10ffff}'];

  it('shows each file and folder in it once, and nothing that lies deeper', async () => {
    const mirror = await mirrorOf(files);
    const top = ['a', 'a.md', 'a/', 'a0', 'a\uffee', 'a\u{10000}', 'z/'];
    expect((await listed(mirror, '')).names).toEqual(top);
    expect((await listed(mirror, 'a')).names).toEqual(['a/b', 'a/c/']);
    expect((await listed(mirror, 'a/c')).names).toEqual(['a/c/d', 'a/c/e']);
    expect((await listed(mirror, 'nothing')).names).toEqual([]);
  });

  it('comes in pages that lose nothing, a folder at the end of one included', async () => {
    const mirror = await mirrorOf(files);
    for (const limit of [1, 2, 3]) {
      const { names, pages } = await listed(mirror, '', limit);
      expect(names).toHaveLength(7);
      expect(new Set(names).size).toBe(7);
      expect(Math.max(...pages)).toBe(limit);
    }
  });

  it('skips over a folder with more files than are looked at in one go', async () => {
    const many = Array.from({ length: 450 }, (_, n) => `big/${String(n).padStart(4, '0')}`);
    const mirror = await mirrorOf([...many, 'after', 'zz']);
    expect((await listed(mirror, '')).names).toEqual(['after', 'big/', 'zz']);
    expect((await listed(mirror, 'big')).names).toHaveLength(450);
  });

  it('begins at its start when the place to go on from is another folder’s', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'one', { 'docs/a': 'a', 'x/b': 'b' }, ALL);
    const page = await mirror.stub().children('docs', 'x/b', 10);
    expect(page?.children.map(({ path }) => path)).toEqual(['docs/a']);
  });

  it('is nothing while nothing is mirrored', async () => {
    expect(await newMirror().stub().children('', '', 10)).toBeNull();
  });
});
