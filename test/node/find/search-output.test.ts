import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstPaths } from '../../../local-bridge/tools/search/first-paths.ts';
import { confirmed, grepOutput, type PrintedLine } from '../../../local-bridge/tools/search/grep-output.ts';
import { holdsFor } from '../../support/property.ts';

const note = (path: string, end = '\n') =>
  `${path}: WARNING: stopped searching binary file after match (found "\\0" byte around offset 12)${end}`;

/** Feeds what ripgrep printed in pieces that end at these places. */
function read(printed: Buffer, cuts: readonly number[] = []) {
  const binary: string[] = [];
  const output = grepOutput((path) => binary.push(path));
  const lines: PrintedLine[] = [];
  let from = 0;
  for (const cut of [
    ...cuts.map((cut) => cut % (printed.length + 1)).sort((a, b) => a - b),
    printed.length,
  ]) {
    lines.push(...output.take(printed.subarray(from, cut)));
    from = cut;
  }
  return {
    lines: lines.map((line) => ({ ...line, text: line.text.toString() })),
    rest: output.rest(),
    binary,
  };
}

describe('what ripgrep prints', () => {
  it('is read the same however it arrives', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'é', '\n', ':', ' ', '1', '.'),
      minLength: 1,
      maxLength: 6,
    });
    const text = fc.string({ unit: fc.constantFrom('x', ':', '0', 'ü', '\r', ' '), maxLength: 6 });
    const record = fc.record({ path: name, line: fc.nat(), offset: fc.nat(), text });
    holdsFor(
      fc.tuple(fc.array(record, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 6 })),
      ([all, cuts]) => {
        const printed = all.map(({ path, line, offset, text }) => `./${path}\0${line}:${offset}:${text}\n`);
        const found = read(Buffer.from(`${printed.join('')}\n3 files searched\n`), cuts);
        expect(found).toEqual({ lines: all, rest: '\n3 files searched\n', binary: [] });
      },
    );
  });

  it('names binary files between the records and at the end', () => {
    const printed = `./a\x001:0:x\n${note('./a')}${note('./b', '\r\n')}./c\x002:5:y\n${note('./c')}\n9 files searched\n`;
    expect(read(Buffer.from(printed))).toMatchObject({
      lines: [
        { path: 'a', line: 1 },
        { path: 'c', line: 2 },
      ],
      rest: '\n9 files searched\n',
      binary: ['a', 'b', 'c'],
    });
  });

  it('is not gathered without end', () => {
    const output = grepOutput(() => undefined);
    expect(() => {
      for (let i = 0; i < 10; i++) output.take(Buffer.alloc(16 * 1024, 'x'));
    }).toThrow('record without an end');
  });
});

describe('a printed line', () => {
  const printed = (text: string | Buffer): PrintedLine => ({
    ...{ path: 'a', line: 1, offset: 0 },
    text: Buffer.from(text),
  });
  it.each<[string, string, string | undefined, object | undefined]>([
    ['stands in the file', 'abc', 'abc\n', { text: 'abc', cut: false }],
    ['ends with the file', 'abc', 'abc', { text: 'abc', cut: false }],
    ['has the end that ripgrep gave it', 'abc\r', 'abc', { text: 'abc', cut: false }],
    ['has an end of two', 'abc\r', 'abc\r\n', { text: 'abc', cut: false }],
    ['is something else by now', 'abc', 'abd\n', undefined],
    ['is longer by now', 'abc', 'abcd\n', undefined],
    ['is gone', 'abc', undefined, undefined],
    ['is binary by now', 'a\0c', 'a\0c\n', undefined],
    ['was cut', 'abc [... omitted end of long line]', 'abcdef\n', { text: 'abc', cut: true }],
    ['was cut before more', 'abc [... 12 more matches]', 'abcdef\n', { text: 'abc', cut: true }],
    ['was cut and changed', 'abc [... 1 more match]', 'xbcdef\n', undefined],
    [
      'only says that it was cut',
      'abc [... 1 more match]',
      'abc [... 1 more match]\n',
      { text: 'abc [... 1 more match]', cut: false },
    ],
  ])('that %s', (_, text, inFile, expected) => {
    expect(confirmed(printed(text), inFile === undefined ? undefined : Buffer.from(inFile))).toEqual(
      expected,
    );
  });
});

describe('the first of many paths', () => {
  it('are the ones that sort first, whatever order they came in', () => {
    const paths = fc.uniqueArray(fc.string({ maxLength: 4 }), { maxLength: 40 });
    holdsFor(fc.tuple(paths, fc.integer({ min: 1, max: 12 })), ([all, wanted]) => {
      const found = firstPaths(wanted);
      for (const path of all) found.add(path);
      expect([found.count, found.first()]).toEqual([all.length, all.toSorted().slice(0, wanted)]);
    });
  });
});
