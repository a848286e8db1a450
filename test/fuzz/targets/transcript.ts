import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chunksOf } from '../../../src/transcript/chunks.ts';
import { cleanTranscript } from '../../../src/transcript/clean.ts';
import { texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const SRT =
  '1\n00:00:01,000 --> 00:00:02,500\nHello there,\n<i>friend</i>.\n\n2\n00:00:03,000 --> 00:00:04,000\nAda: How are you?\n';
const VTT =
  'WEBVTT - a title\nKind: captions\n\nNOTE hidden\n\nSTYLE\n::cue{}\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Bo>Hi <00:01.500><c>there</c>\n\n00:03.000 --> 00:04.000\n- One\n- Two\n';
const ROLLING =
  'WEBVTT\n\n00:00.000 --> 00:01.000\nso we\n\n00:01.000 --> 00:02.000\nso we\ngo on\n\n00:02.000 --> 00:03.000\ngo on\nand on\n\n00:03.000 --> 00:04.000\nand on\nfor ever\n';
const STAMPED = '[00:00:01] Ada: Hello.\n[00:00:05] Bo: Hi.\n[00:00:09] Ada: Bye.\n';
const NAMED = 'Ada Lovelace  0:05\nWe begin.\n\nBo Diddley  1:10\nWe end.\n';
const WORDS = [
  ...[
    '00:00:01,000 --> 00:00:02,000',
    '\n\n',
    '\n',
    '\r\n',
    'WEBVTT',
    'NOTE ',
    'STYLE',
    '1',
    '<v Ann>',
    '</v>',
    '<c>',
    '&lt;',
    '&amp;',
  ],
  ...[
    '[00:01]',
    '(1:02)',
    '0:05 ',
    'Ada: ',
    '>> ',
    '- ',
    '99:99:99',
    '\u2028',
    '中文。',
    'word ',
    'Ada (00:05):',
    '{\\an8}',
    '♪',
  ],
];

const TIMES = /^\d\d:[0-5]\d:[0-5]\d,\d{3} --> \d\d:[0-5]\d:[0-5]\d,\d{3}$/;
const lettersIn = (text: string): readonly string[] => text.match(/\p{L}/gu) ?? [];

const captions = fc
  .array(
    fc.tuple(
      fc.nat(3_000),
      fc.array(fc.constantFrom('so', 'we', 'go on.', 'Ada: hm', '- yes'), { minLength: 1 }),
    ),
    {
      maxLength: 8,
    },
  )
  .map((cues) =>
    cues
      .map(
        ([at, said], i) => `${i + 1}\n00:${clock(at)},000 --> 00:${clock(at + 2)},000\n${said.join('\n')}\n`,
      )
      .join('\n'),
  );
const clock = (at: number) =>
  `${String(Math.floor(at / 60) % 60).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;

const transcript = target({
  name: 'transcript',
  seeds: [SRT, VTT, ROLLING, STAMPED, NAMED, 'Plain text.\n\nIn two paragraphs.'],
  grammar: fc.oneof(captions, texts(WORDS, 30)),
  words: WORDS,
  parse: cleanTranscript,
  properties: {
    'nobody said more than was there': (text, input) => {
      const left = new Map<string, number>();
      for (const letter of lettersIn(input)) left.set(letter, (left.get(letter) ?? 0) + 1);
      for (const letter of lettersIn(text)) {
        const count = left.get(letter) ?? 0;
        assert.ok(count > 0, letter);
        left.set(letter, count - 1);
      }
    },
    'paragraphs are apart by one empty line': (text) => {
      assert.ok(!/\n{3}|^\n|\n$|[^\n]\n[^\n]/.test(text), JSON.stringify(text));
    },
    'it is well-formed if what came was': (text, input) => {
      if (input.isWellFormed()) assert.ok(text.isWellFormed());
    },
    'a line of times alone is gone': (text, input) => {
      const lines = new Set(input.split('\n'));
      for (const line of text.split('\n')) assert.ok(!(TIMES.test(line) && lines.has(line)), line);
    },
  },
});

const MAX = 40;

const chunks = target({
  name: 'transcript-chunks',
  seeds: ['One. Two! Three? Four.\n\nFive 中文。六。', 'a'.repeat(100), 'word '.repeat(30)],
  grammar: texts(['. ', '\n\n', 'word ', 'a', '😀', '。', ' ', '...', '!)” ', 'x'.repeat(39)], 40),
  words: ['. ', '\n\n', ' ', '😀', '。'],
  parse: (input) => chunksOf(input, MAX),
  properties: {
    'the pieces make the text again': (pieces, input) => {
      assert.equal(pieces.map(({ text, after }) => text + after).join(''), input);
    },
    'no piece is too long': (pieces) => {
      for (const { text } of pieces) assert.ok(text.length <= MAX, text);
    },
    'no character is cut in two': (pieces, input) => {
      if (input.isWellFormed())
        for (const { text, after } of pieces) assert.ok(text.isWellFormed() && after.isWellFormed());
    },
  },
});

export const transcripts: readonly Target[] = [transcript, chunks];
