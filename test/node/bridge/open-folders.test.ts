import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootsFrom } from '../../../local-bridge/agent/policy/roots.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'bowline-folders-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the open folders', () => {
  const folder = (name: string) => {
    mkdirSync(join(home, name), { recursive: true });
    return join(home, name);
  };
  const none = { deny: [], ask: [] };

  it('are those of the command line, the first the default, with links followed once', () => {
    const [a, b] = [folder('a'), folder('b=c')];
    symlinkSync(a, join(home, 'link'));
    expect(rootsFrom([join(home, 'link'), `notes=${b}`], { ...none, roots: [{ path: '/nowhere' }] })).toEqual(
      [
        { name: 'a', path: a },
        { name: 'notes', path: b },
      ],
    );
    expect(rootsFrom([b], none)).toEqual([{ name: 'b=c', path: b }]);
  });

  it('are those of the settings otherwise, none of them if it says so', () => {
    const a = folder('a');
    expect(rootsFrom([], { ...none, roots: [{ path: a }] })).toEqual([{ name: 'a', path: a }]);
    expect(rootsFrom([], { ...none, roots: [] })).toEqual([]);
    expect(() => rootsFrom([], none)).toThrow('Which folder');
  });

  it('number at most 64', () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `n${at}=${home}`);
    expect(rootsFrom(words(64), none)).toHaveLength(64);
    expect(() => rootsFrom(words(65), none)).toThrow('At most 64');
  });

  it('are refused when they are not there, not folders, or not told apart', () => {
    const [a] = [folder('a')];
    writeFileSync(join(home, 'file'), '');
    const cases: [string[], string][] = [
      [[join(home, 'none')], 'There is no folder'],
      [[join(home, 'file')], 'There is no folder'],
      [[join(home, 'file', 'below')], 'There is no folder'],
      [[a, a], 'Two open folders are called "a"'],
      [[`A=${a}`, `a=${a}`], 'Two open folders'],
      [[`\u202ea=${a}`], 'cannot be the name'],
      [[`${'n'.repeat(129)}=${a}`], 'cannot be the name'],
      [[` a=${a}`], 'cannot be the name'],
    ];
    for (const [words, why] of cases) expect(() => rootsFrom(words, none), why).toThrow(why);
    expect(rootsFrom([`${'n'.repeat(128)}=${a}`], none)).toHaveLength(1);
    expect(() => rootsFrom([], { ...none, roots: [{ path: 'relative' }] })).toThrow('not an absolute path');
  });
});
