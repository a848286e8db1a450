import assert from 'node:assert/strict';
import { crc32, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { listArchive, listingText } from '../../../local-bridge/tools/reading/archives.ts';
import { decoded } from '../../../local-bridge/tools/reading/encodings.ts';
import { MAX_ENTRIES, MAX_NAME_BYTES } from '../../../local-bridge/tools/reading/listing.ts';
import { MAX_NOTEBOOK_CHARS, notebookText } from '../../../local-bridge/tools/reading/notebook.ts';
import { plainPicture } from '../../../local-bridge/tools/reading/pictures.ts';
import { FRAME, jpegOf, part, pngOf, records, tarEntry, tarOf, zipOf } from '../../node/files/made-files.ts';
import { bytesIn, inputOf, mixedJson, texts, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const bufferOf = (input: string) => Buffer.from(bytesIn(input));

/** Makes the sums of tar headers right again, so that more than the sums is tried. */
function withSums(bytes: Buffer): Buffer {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    if (bytes.toString('latin1', at + 257, at + 262) !== 'ustar') continue;
    bytes.fill(32, at + 148, at + 156);
    let sum = 0;
    for (let i = at; i < at + 512; i++) sum += bytes[i] ?? 0;
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148);
  }
  return bytes;
}

const said = tarEntry('x', records({ path: 'a/b', size: '3', 'GNU.sparse.realsize': '9' }), { kind: 'x' });
const TAR = inputOf(
  Buffer.concat([
    said,
    tarOf([
      ['a', 600],
      ['../b', 1],
    ]),
  ]),
);
const LONG = inputOf(
  Buffer.concat([tarEntry('L', Buffer.from('long/name\0'), { kind: 'L' }), tarOf([['l', 0]])]),
);
const ZIP = inputOf(zipOf(['a.txt', '../b', 'c\u202ed']));
const SHOWN_LINE =
  /^ *\d+(?:e\+\d+)? {2}[^\n]*$|^\(and \d+ more\)$|^\(the archive ends in the middle of a file\)$/;

const listings = target({
  name: 'listed-archive',
  isBinary: true,
  // Begins with how it is tried: t with right sums, z as it is, g packed.
  seeds: [`t${TAR}`, `t${LONG}`, `z${ZIP}`, `z${TAR}`, `g${TAR}`],
  grammar: fc
    .tuple(
      fc.constantFrom('t', 'z', 'g'),
      fc.constantFrom(TAR, LONG, ZIP),
      fc.nat(3_000),
      texts(['a', '../', '\0', '/', 'ü', '\n'], 4),
    )
    .map(
      ([how, whole, at, more]) =>
        `${how}${whole.slice(0, at)}${utf8(more)}${whole.slice(at + utf8(more).length)}`,
    ),
  words: [
    'PK\x01\x02',
    'PK\x05\x06',
    'PK\x06\x06',
    'PK\x06\x07',
    '\xff\xff',
    '\xff\xff\xff\xff',
    '\0'.repeat(8),
    'ustar\0',
    '77777777777\0',
    '\x80\0\0\0\0\0\0\0\0\0\0\x01',
    '11 path=ab\n',
    '9 size=4\n',
    'S',
    'x',
    'g',
    'L',
    'K',
    '1',
    '\0'.repeat(512),
  ],
  parse: async (input) => {
    const bytes = bufferOf(input.slice(1));
    if (input[0] === 'g') return listArchive(gzipSync(bytes, { level: 1 }), 1_000_000);
    return listArchive(input[0] === 't' ? withSums(bytes) : bytes);
  },
  properties: {
    'only so many entries are listed, with names of some length and sizes that are numbers': (listing) => {
      if (!listing || 'problem' in listing) return;
      assert.ok(listing.entries.length <= MAX_ENTRIES && listing.more >= 0);
      for (const { name, bytes, target: leads = '' } of listing.entries) {
        assert.ok(Number.isFinite(bytes) && bytes >= 0);
        assert.ok(Math.max(name.length, leads.length) <= MAX_NAME_BYTES + 200);
      }
    },
    'each entry is a line, and nothing in it is invisible': (listing) => {
      if (!listing || 'problem' in listing) return;
      const lines = listingText(listing).split('\n').slice(0, -1);
      assert.equal(lines.length, listing.entries.length + Number(listing.more > 0) + Number(listing.isCut));
      for (const line of lines) {
        assert.match(line, SHOWN_LINE);
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
      }
    },
  },
});

const CELL = {
  cell_type: 'code',
  source: ['a\n', 'b'],
  outputs: [
    { text: ['x'] },
    { output_type: 'error', traceback: ['\u001b[31me'] },
    { data: { 'text/plain': 't', 'image/png': 'AAAA' } },
  ],
};

const notebook = target({
  name: 'notebook',
  seeds: [JSON.stringify({ cells: [CELL, { source: '# x' }], nbformat: 4 }), '{"cells":[]}', '[1]', '{'],
  grammar: mixedJson([{ cells: [CELL, CELL] }, { cells: [{ source: 'x' }] }]),
  words: [
    '"cells":',
    '"outputs":[{}]',
    '"text":',
    'null',
    '"\\ud800"',
    '[',
    ']',
    '{},',
    '"__proto__":{}',
    '"data":{"":1}',
    '\\u001b[',
  ],
  parse: notebookText,
  properties: {
    'it is well-formed and of some length': (written) => {
      assert.ok(written === undefined || written.text.isWellFormed());
      assert.ok((written?.text.length ?? 0) <= MAX_NOTEBOOK_CHARS);
    },
    'each cell that is one begins with its number': (written, input) => {
      if (!written) return;
      const { cells } = JSON.parse(input) as { cells: unknown[] };
      cells.forEach((cell, i) => {
        if (typeof cell === 'object' && cell !== null && !Array.isArray(cell))
          assert.ok(written.text.includes(`[${i + 1}] `));
      });
    },
  },
});

/** Makes the sums of a PNG's parts right again. */
function withCrcs(bytes: Buffer): Buffer {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end - 4)), end - 4);
    at = end;
  }
  return bytes;
}

const SECRET = Buffer.from('SECRET');
const JFIF = part(0xe0, Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0'));
const PICTURES = [
  `p${inputOf(pngOf(3))}`,
  `p${inputOf(Buffer.concat([pngOf(3), SECRET]))}`,
  `j${inputOf(jpegOf(JFIF, part(0xe1, SECRET), FRAME, part(0xfe, SECRET)))}`,
];

const picture = target({
  name: 'picture',
  isBinary: true,
  // Begins with how it is tried: p with right sums, j as it is.
  seeds: PICTURES,
  grammar: fc
    .tuple(fc.constantFrom(...PICTURES), fc.nat(120), fc.uint8Array({ maxLength: 6 }))
    .map(([whole, at, more]) => whole.slice(0, at + 1) + inputOf(more) + whole.slice(at + 1 + more.length)),
  words: [
    'IHDR',
    'IDAT',
    'IEND',
    'tEXt',
    'gAMA',
    '\0\0\0\0',
    '\0\0\0\x04',
    '\xff\xd8\xff',
    '\xff\xd9',
    '\xff\xda',
    '\xff\xc0',
    '\xff\xc2',
    '\xff\xe0',
    '\xff\xe1\0\x08SECRET',
    '\xff\xff',
    '\0\x02',
  ],
  parse: (input) =>
    plainPicture(input[0] === 'p' ? withCrcs(bufferOf(input.slice(1))) : bufferOf(input.slice(1))),
  properties: {
    'what is shown is a picture too, and nothing more can be taken from it': (shown) => {
      if (!shown) return;
      const { turn: _, ...plain } = shown;
      assert.deepEqual(plainPicture(shown.bytes), plain);
    },
    'it has sides, and no part that tells something': (shown) => {
      if (!shown) return;
      assert.ok(shown.width > 0 && shown.height > 0);
      const text = shown.bytes.toString('latin1');
      if (shown.mime === 'image/png') assert.ok(text.endsWith('IEND\xae\x42\x60\x82'));
      else assert.ok(text.endsWith('\xff\xd9'));
    },
    'it is no longer than it was': (shown, input) => {
      assert.ok(!shown || shown.bytes.length < input.length);
    },
  },
});

const encodings = target({
  name: 'encodings',
  isBinary: true,
  // Begins with whether the end was cut off.
  seeds: [
    `c${utf8('grün 😀')}`,
    `w${inputOf(Buffer.from('\ufeffgrün 😀', 'utf16le'))}`,
    `c${inputOf(Buffer.from('grün 😀', 'utf16le').swap16())}`,
    `w${inputOf(Buffer.from('grün', 'latin1'))}`,
    'w\x00\x01',
  ],
  grammar: fc
    .tuple(
      fc.constantFrom('c', 'w'),
      texts(['ü', '😀', 'abc', '\n', '\0']),
      fc.constantFrom('utf8', 'utf16le', 'latin1'),
      fc.nat(9),
    )
    .map(
      ([how, text, as, cut]) =>
        how + inputOf(Buffer.from(text, as as BufferEncoding)).slice(0, Math.max(0, text.length * 2 - cut)),
    ),
  words: [
    '\xff\xfe',
    '\xfe\xff',
    '\xef\xbb\xbf',
    '\0',
    '\xd8\x00',
    '\x00\xdc',
    '\xf0\x9f',
    '\x80',
    '\x81',
    '\xff',
  ],
  parse: (input) => decoded(bufferOf(input.slice(1)), input[0] === 'c'),
  properties: {
    'a text is well-formed': (read) => assert.ok(read === undefined || read.text.isWellFormed()),
    'UTF-8 is what its bytes say': (read, input) => {
      if (read?.encoding !== 'utf-8') return;
      const bytes = bufferOf(input.slice(1));
      const again = Buffer.from(read.text);
      const start = bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? 3 : 0;
      assert.ok(bytes.subarray(start, start + again.length).equals(again));
      assert.ok(bytes.length - start - again.length <= (input[0] === 'c' ? 3 : 0));
    },
  },
});

export const readings: readonly Target[] = [listings, notebook, picture, encodings];
