import { describe, expect, it } from 'vitest';
import { beginsAsDenied, matchesArgv } from '../../../src/gate/rules/argv.ts';

describe('beginsAsDenied', () => {
  it.each([
    [['git'], ['git', 'status'], true],
    [['git', 'status'], ['git', 'status'], true],
    [['git', 'status'], ['git'], false],
    [['status'], ['git', 'status'], false],
    [['git', 'push'], ['git', 'status'], false],
    [['gi'], ['git'], false],
    [['git', 'push'], ['GIT', 'push'], true],
    [['git', 'push'], ['/usr/bin/Git', 'push'], true],
    [['git', 'push'], ['./git', 'push'], true],
    [['GIT', 'push'], ['git', 'push'], true],
    [['git', 'push'], ['git/other', 'push'], false],
    [['./tool'], ['./Tool'], true],
    [['./tool'], ['other/tool'], false],
    // Only the program: `rm -F` is not `rm -f`.
    [['rm', '-f'], ['rm', '-F'], false],
  ])('%j, %j: %j', (words, argv, expected) => {
    expect(beginsAsDenied(words, argv)).toBe(expected);
  });
});

describe('matchesArgv', () => {
  const status = { argv: ['git', 'status'], options: [], operands: 'none' } as const;
  const log = {
    argv: ['git', 'log'],
    options: ['-n', '-pw', '--stat', '--since='],
    operands: 'any',
  } as const;

  it.each([
    [['git', 'status'], true],
    [['git'], false],
    [['git', 'stash'], false],
    [['hg', 'status'], false],
    [['git', 'status', 'src'], false],
    [['git', 'status', '-s'], false],
    [['git', 'status', '--'], false],
    [['git', 'status', ''], false],
    [['git', '-c', 'x', 'status'], false],
    [['GIT', 'status'], false],
  ])('one command and nothing after it: %j, %j', (argv, expected) => {
    expect(matchesArgv(status, argv)).toBe(expected);
  });

  it.each([
    [['git', 'log'], true],
    [['git', 'log', '-n', '3'], true],
    [['git', 'log', '--stat', 'src/a.ts', '-n', '1'], true],
    [['git', 'log', '-pw'], true],
    [['git', 'log', '-wp'], false],
    [['git', 'log', '-p'], false],
    [['git', 'log', '-nn'], false],
    [['git', 'log', '-'], false],
    [['git', 'log', '--stat=5'], false],
    [['git', 'log', '--sta'], false],
    [['git', 'log', '--STAT'], false],
    [['git', 'log', '--since=2020'], true],
    [['git', 'log', '--since='], true],
    [['git', 'log', '--since'], false],
    [['git', 'log', '--sincex=2020'], false],
    [['git', 'log', '--output=x'], false],
    [['git', 'log', '--since=a=b'], true],
    [['git', 'log', '-n=3'], false],
    [['git', 'log', '--', 'src'], true],
    [['git', 'log', '--'], true],
    [['git', 'log', '--', '--stat'], false],
    [['git', 'log', '--', 'a', '-n'], false],
    [['git', 'log', 'a', '--', 'b', '--', 'c'], false],
  ])('listed options, and operands: %j, %j', (argv, expected) => {
    expect(matchesArgv(log, argv)).toBe(expected);
  });

  it('takes a short option with a value only as it is listed', () => {
    const pattern = {
      argv: ['head'],
      options: ['-n=', '-n5', '--=', '--lines=3'],
      operands: 'none',
    } as const;
    expect(matchesArgv(pattern, ['head', '-n5'])).toBe(true);
    expect(matchesArgv(pattern, ['head', '--lines=3'])).toBe(true);
    expect(matchesArgv(pattern, ['head', '-n=5'])).toBe(false);
    expect(matchesArgv(pattern, ['head', '-n6'])).toBe(false);
    expect(matchesArgv(pattern, ['head', '--lines=4'])).toBe(false);
  });

  it('takes an empty name in the list for no name at all', () => {
    const pattern = { argv: ['head'], options: [''], operands: 'any' } as const;
    expect(matchesArgv(pattern, ['head', '--lines'])).toBe(false);
    expect(matchesArgv(pattern, ['head', '-n'])).toBe(false);
  });

  it('has no options after a `--` that is one of its own words', () => {
    const pattern = { argv: ['npm', 'test', '--'], options: ['--run'], operands: 'any' } as const;
    expect(matchesArgv(pattern, ['npm', 'test', '--', 'a'])).toBe(true);
    expect(matchesArgv(pattern, ['npm', 'test', '--', '--run'])).toBe(false);
  });

  it('takes listed options without operands', () => {
    const pattern = { argv: ['git', 'log'], options: ['--stat'], operands: 'none' } as const;
    expect(matchesArgv(pattern, ['git', 'log', '--stat'])).toBe(true);
    expect(matchesArgv(pattern, ['git', 'log', '--stat', 'x'])).toBe(false);
  });

  describe('lets no operand, and no value of an option, out of the folder', () => {
    it.each([
      '/etc/passwd',
      '/',
      '\\x',
      '~',
      '~/x',
      '~root',
      '..',
      '../x',
      'a/..',
      'a/../../b',
      'a\\..\\b',
      'a/..\\b',
      'of=/dev/sda',
      'of=~/x',
      'of=../x',
      'HEAD:../x',
      'host:/x',
      'host:..',
      'C:/x',
      'C:\\x',
      '@/etc/passwd',
      '@../x',
      'a,/b',
      'a,../b',
      'https://example.com',
      'a\0b',
      'a\nb',
      'a\u001bb',
      'a\u007fb',
      'a\u202eb',
    ])('%j', (operand) => {
      expect(matchesArgv(log, ['git', 'log', operand])).toBe(false);
      expect(matchesArgv(log, ['git', 'log', '--', operand])).toBe(false);
      expect(matchesArgv(log, ['git', 'log', `--since=${operand}`])).toBe(false);
    });

    it.each([
      'a',
      '',
      'a b',
      'src/a.ts',
      './a',
      'main..feature',
      '...',
      'a/...',
      '..a',
      'a..',
      'a/..b',
      'a/b../c',
      'HEAD~1',
      'a=b',
      'HEAD:a',
      'x@1',
      'ä€😀',
      '$(id)',
    ])('but takes %j', (operand) => {
      expect(matchesArgv(log, ['git', 'log', operand])).toBe(true);
      expect(matchesArgv(log, ['git', 'log', `--since=${operand}`])).toBe(true);
    });
  });
});
