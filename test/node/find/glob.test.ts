import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Glob, parseGlob } from '../../../local-bridge/tools/search/glob.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { holdsFor } from '../../support/property.ts';

const globOf = (pattern: string): Glob => {
  const glob = parseGlob(pattern);
  if ('wrong' in glob) throw new Error(glob.wrong);
  return glob;
};

const names = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
const paths = fc.array(names, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
const pieces = fc.constantFrom('a', 'b', 'c', '*', '?', '[ab]', '[!a]', '[a-b]', '{a,bc}', '{*a,b?}');
const segments = fc.oneof(
  { weight: 1, arbitrary: fc.constant('**') },
  { weight: 4, arbitrary: fc.array(pieces, { minLength: 1, maxLength: 4 }).map((all) => all.join('')) },
);
const patterns = fc
  .array(segments, { minLength: 2, maxLength: 5 })
  .map((all) => all.join('/'))
  // Two stars in one name mean different things to different readers.
  .filter((pattern) => !/\*{2}[^/]|[^/]\*{2}/.test(pattern));

describe('a glob', () => {
  it('means what it means to Node', () => {
    holdsFor(fc.tuple(patterns, paths), ([pattern, path]) => {
      // Node takes `a/**` to hold `a` itself, which is a folder here and no file.
      if (pattern.endsWith('/**')) return;
      expect([pattern, path, globOf(pattern).matches(path)]).toEqual([
        pattern,
        path,
        posix.matchesGlob(path, pattern),
      ]);
    });
  });

  it('lets ripgrep leave out only names that it could not match', () => {
    holdsFor(fc.tuple(fc.oneof(patterns, segments), paths), ([pattern, path]) => {
      const glob = globOf(pattern);
      if (!glob.names || !glob.matches(path)) return;
      expect(glob.names.some((name) => globOf(name).matches(posix.basename(path)))).toBe(true);
    });
  });

  it('gives ripgrep nothing that it could read as more than a name', () => {
    holdsFor(fc.string({ unit: 'binary', maxLength: 20 }), (pattern) => {
      const glob = parseGlob(pattern);
      if ('wrong' in glob) return;
      for (const name of glob.names ?? []) expect(name).toMatch(/^[\w.*-]+$/);
    });
  });

  it.each([
    ['**/*.md', ['*.md']],
    ['*.{ts,tsx}', ['*.ts', '*.tsx']],
    ['src/[ab]c?.go', ['*c*.go']],
    ['include:py', ['include*py']],
    ['{a/*,b.ts}', undefined],
    ['src/**', undefined],
    ['*', undefined],
  ])('of %s tells ripgrep %j', (pattern, expected) => {
    expect(globOf(pattern).names).toEqual(expected);
  });

  it.each([
    ['\\*.txt', '*.txt', true],
    ['\\*.txt', 'a.txt', false],
    ['[]a].txt', '].txt', true],
    ['[*].txt', 'a.txt', false],
    ['a[!b]c', 'a🪢c', true],
    ['a?c', 'a🪢c', true],
    ['a/**/**/b', 'a/b', true],
    ['a/**', 'a', false],
    ['a/**/', 'a', undefined],
    ['a{,b}', 'ab', true],
    ['a{,b}', 'a', true],
    ['{a,{b,c}d}', 'cd', true],
  ])('%s against %s: %s', (pattern, path, expected) => {
    const glob = parseGlob(pattern);
    expect('wrong' in glob ? undefined : glob.matches(path)).toBe(expected);
  });

  it('takes time in proportion, whatever the pattern', () => {
    const match = () => {
      expect(globOf(`${'*a'.repeat(400)}b`).matches('a'.repeat(4_000))).toBe(false);
      expect(globOf(`${'**/a/'.repeat(150)}b`).matches('a/'.repeat(2_000).slice(0, -1))).toBe(false);
      expect(parseGlob('{'.repeat(1_000))).toHaveProperty('wrong');
      expect(parseGlob(`${'{a,'.repeat(200)}${'}'.repeat(200)}`)).toHaveProperty('wrong');
    };
    expect(cpuMsOf(match)).toBeLessThan(2_000);
  });
});
