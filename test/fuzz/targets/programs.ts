import assert from 'node:assert/strict';
import { records } from '../../../local-bridge/agent/mirror/git.ts';
import { grepOutput } from '../../../local-bridge/tools/search/grep-output.ts';
import { parsePs } from '../../../local-bridge/tools/terminal/process-tree.ts';
import { texts, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

/** The same bytes in pieces, as long as this number says by turns. */
function* piecesOf(bytes: Buffer, seed: number): Generator<Buffer> {
  for (
    let at = 0, size = (seed % 7) + 1;
    at < bytes.length;
    at += size, size = ((size * 5 + seed) % 11) + 1
  ) {
    yield bytes.subarray(at, at + size);
  }
}

const git = target({
  name: 'git-records',
  isBinary: true,
  growsBecause: 'pieces of a few bytes are put together one by one; a pipe gives thousands at a time',
  seeds: ['100644 blob abc 12\ta.md\0 120000 blob d 1\tb\0', ':100644 000000 a b D\0gone\0', '\0\0'],
  grammar: texts(['\0', 'a', '\t', '\n', ':100644 ', 'é'], 20).map(utf8),
  words: ['\0', '\t', '100644 blob '],
  parse: async (input) => {
    const found: string[] = [];
    async function* stream() {
      yield* piecesOf(Buffer.from(input, 'latin1'), input.length);
    }
    for await (const record of records(stream())) found.push(record.toString('latin1'));
    return found;
  },
  properties: {
    'records are what stands between the NULs, however they come': (found, input) => {
      const parts = input.split('\0');
      if (parts.at(-1) === '') parts.pop();
      assert.deepEqual(found, parts);
    },
  },
});

const LINE = './a.ts\0' + '12:345:let a = 1;\n';

/** A path, a NUL, two numbers, and the line, time and again. */
const isPrinted = (output: string) => /^(?:[^\0]*\0\d+:\d+:[^\n]*\n)*[^\0]*$/.test(output);

const ripgrep = target({
  name: 'ripgrep-output',
  isBinary: true,
  growsBecause: 'pieces of a few bytes are put together one by one; a pipe gives thousands at a time',
  seeds: [
    `${LINE}${LINE}1 matches\n`,
    `b: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n${LINE}`,
    '\n3 files',
  ],
  grammar: texts(
    [LINE, '\0', '\n', ':', './', '1:2:', ': WARNING: stopped searching binary file', 'é', '\r\n'],
    12,
  ).map(utf8),
  words: ['\0', ':', '\n', './', '1:2:'],
  parse: (input) => {
    const read = (pieces: Iterable<Buffer>) => {
      const binary: string[] = [];
      const output = grepOutput((path) => binary.push(path));
      const lines = [...pieces]
        .flatMap((piece) => output.take(piece))
        .map((line) => ({ ...line, text: line.text.toString('latin1') }));
      return { lines, rest: output.rest(), binary };
    };
    const bytes = Buffer.from(input, 'latin1');
    return { whole: read([bytes]), pieces: read(piecesOf(bytes, input.length)) };
  },
  properties: {
    'it reads the same however it comes': ({ whole, pieces }, input) => {
      if (isPrinted(input)) assert.deepEqual(pieces, whole);
    },
    'no line is longer than what came, and none has a line end in it': ({ whole: { lines } }, input) => {
      for (const { text } of lines)
        assert.ok(!isPrinted(input) || (!text.includes('\n') && input.includes(text)));
    },
  },
});

const PS = '  12     1    12      0 Ss   Mon Nov 11 10:00:00 2024 /bin/zsh -l TERMINAL_RUN=mark A=b';

const processes = target({
  name: 'process-table',
  seeds: [PS, `${PS}\n${PS.replace('Ss', 'Z+')}\n`, '\n'],
  grammar: texts([PS, '\n', ' ', 'TERMINAL_RUN=mark', '1', 'Z', 'Mon Nov 11 10:00:00 2024', '/'], 10),
  words: ['TERMINAL_RUN=mark', '\n', '  ', '99999999999999999999'],
  parse: (input) => parsePs(input, 'mark'),
  properties: {
    'every process has whole numbers, and a mark only if it says so': (found, input) => {
      for (const { pid, parent, group, marked } of found) {
        assert.ok([pid, parent, group].every((number) => Number.isInteger(number) && number >= 0));
        assert.ok(!marked || input.includes('TERMINAL_RUN=mark'));
      }
    },
  },
});

export const programs: readonly Target[] = [git, ripgrep, processes];
