import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folded, namesIn, shown } from '../../../local-bridge/tools/workspace/path-rules.ts';
import { isRefusal } from '../../../local-bridge/tools/workspace/refusal.ts';
import { AT_LENGTH } from '../../support/at-length.ts';

const codeOf = (path: string) => {
  const names = namesIn(path);
  return isRefusal(names) ? names.code : 'taken';
};

describe('a path', () => {
  it.each([
    ['.', []],
    ['a', ['a']],
    ['src/app.py', ['src', 'app.py']],
    ['.gitignore', ['.gitignore']],
    ['a b/ü-😀.txt', ['a b', 'ü-😀.txt']],
    ['[id]/(group)/@slot/$x+y=z,w;v!.tsx', ['[id]', '(group)', '@slot', '$x+y=z,w;v!.tsx']],
    ['console/nulls/auxiliary.c', ['console', 'nulls', 'auxiliary.c']],
    ['notes~', ['notes~']],
    ['a..b/...c', ['a..b', '...c']],
    ['a'.repeat(255), ['a'.repeat(255)]],
    ['ü'.repeat(127), ['ü'.repeat(127)]],
    ['averylongname~1', ['averylongname~1']],
  ])('%j is taken as it is', (path, names) => {
    expect(namesIn(path)).toEqual(names);
  });

  it.each([
    ...['/', '/etc/passwd', '//server/share', '\\', '\\windows', '\\\\server\\share', '\\\\?\\C:\\x'],
    ...['~', '~/x', '~root', '..', '../x', 'a/..', 'a/../b', 'a/../../b', '..\\x', 'a\\..\\b', 'a/..\\b'],
    ...['C:', 'c:x', 'C:\\x', 'C:/x', 'z:..', '/..', './..'],
  ])('%j leaves the folder', (path) => {
    expect(codeOf(path)).toBe('path_outside_root');
  });

  it.each([
    ...['', 'a//b', 'a/', './a', 'a/./b', 'a/.', './'],
    ...[
      'a\0b',
      'a\nb',
      'a\tb',
      'a\x7fb',
      'a\x85b',
      'a\u202eb',
      'a\u2066b',
      'a\u200bb',
      'a\u200db',
      'a\ufeffb',
    ],
    ...['a\u2028b', 'a\u2029b', 'a\ud800b', 'a\u{e0041}b', 'u\u0308', '\u212a', 'a\u00adb'],
    ...['a.', 'a ', 'a./b', 'a /b', '...', '. ', 'a. .'],
    ...['ab:c', 'ab:$DATA', 'ab::$INDEX_ALLOCATION/b', 'b/a:stream', ':a'],
    ...[
      'con',
      'CON',
      'Con.txt',
      'a/NUL',
      'aux.c',
      'prn.tar.gz',
      'com1',
      'COM0',
      'lpt9.log',
      'conin$',
      'CLOCK$',
    ],
    ...['com¹', 'LPT³.txt', 'con .txt', 'CONOUT$', 'nul/x', 'ＣＯＮ', 'ｎul.txt'],
    ...['PROGRA~1', 'progra~1/x', 'GIT~1', 'a~1.txt', 'abcdef~9.c', 'X~12.MD', '~1'.padStart(3, 'a')],
    ...['a\\b', 'a/b\\', 'a'.repeat(256), 'ü'.repeat(128), `ok/${'b'.repeat(256)}`],
  ])('%j is refused', (path) => {
    expect(codeOf(path)).toBe('invalid_path');
  });

  it.each([
    ['./src/app.py', 'src/app.py'],
    ['src/', 'src'],
    ['src//models', 'src/models'],
    ['src\\models', 'src/models'],
    ['./', '.'],
  ])('%j is told its one spelling, and not repaired', (path, better) => {
    expect(namesIn(path)).toMatchObject({ code: 'invalid_path', suggestion: `Write it as '${better}'.` });
  });

  it('is shown on one line with nothing invisible', () => {
    expect(shown('a\nb\tc\u202ed\x1b[0m')).toBe('a\\nb\\tc\\u{202e}d\\u{1b}[0m');
    expect(shown('x'.repeat(500)).length).toBeLessThan(210);
  });

  it('says where it came from in words', () => {
    expect(namesIn('../etc/passwd')).toMatchObject({
      message: "Path '../etc/passwd' is outside working directory",
    });
  });
});

describe('folding', () => {
  it('makes one of what a forgiving filesystem takes for one', () => {
    for (const spelling of ['.ENV', '.Env', '.ｅｎｖ', '.eNv', '.env']) expect(folded(spelling)).toBe('.env');
    expect(folded('.ſsh')).toBe('.ssh');
    expect(folded('Straße')).toBe(folded('STRASSE'));
  });
});

/** Pieces that attacks are made of, and plain ones between which to hide them. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'src', 'lib.ts', 'ü', 'a b', 'x~', '[id]', '.hidden', 'ﬁ') },
  fc.constantFrom(
    '..',
    '.',
    '',
    '~',
    'C:',
    'a',
    'src',
    '...',
    '.. ',
    '..\0',
    '%2e%2e',
    '..%2f',
    '．．',
    '‥',
    '․․',
  ),
  fc.constantFrom(
    'con',
    'NUL.txt',
    'GIT~1',
    'a.',
    'b ',
    'x:y',
    'u\u0308',
    '\u202e',
    '.git',
    '.env',
    '\ud800',
    'ü',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', '~', ':', '\0', 'a', '%', ' '), maxLength: 6 }),
);
const path = fc
  .array(fc.tuple(piece, fc.constantFrom('/', '/', '/', '/', '/', '/', '\\', '//', '')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((pieces) => pieces.flat().slice(0, -1).join(''));

const seed = Number(process.env.FC_SEED ?? 20_260_109);

const PATHS = AT_LENGTH ? 100_000 : 10_000;

describe(`${PATHS} generated paths`, () => {
  it('stay below the root, on every system, or are refused', () => {
    let taken = 0;
    fc.assert(
      fc.property(path, (given) => {
        const names = namesIn(given);
        if (isRefusal(names)) return;
        taken++;
        for (const [system, root] of [
          [posix, '/r'],
          [win32, 'C:\\r'],
        ] as const) {
          const meant = system.resolve(root, given);
          expect(meant === root || meant.startsWith(root + system.sep)).toBe(true);
          // Nothing had to be repaired: each name is a step, and the steps are the path.
          expect(system.relative(root, meant).split(system.sep).join('/')).toBe(given === '.' ? '' : given);
        }
        expect(given === '.' ? [] : given.split('/')).toEqual(names);
        for (const name of names) {
          expect(name).toBe(name.normalize('NFC'));
          expect(name).not.toMatch(/[\p{Cc}\p{Cf}:\\/]|[. ]$|^\.{1,2}$/u);
          expect(name.isWellFormed()).toBe(true);
        }
      }),
      { seed, numRuns: PATHS },
    );
    // The promise would hold for rules that refuse everything.
    expect(taken).toBeGreaterThan(PATHS / 20);
  });
});
