import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanTranscript } from '../../../src/transcript/clean.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { writers } from '../../support/captions.ts';
import { holdsFor } from '../../support/property.ts';

/** Each of ten scripts is tried in each of ten formats. */
const RUNS = AT_LENGTH ? 300 : 100;

/** Words of ten scripts, numbers and marks among them; three scripts put no blanks between words. */
const scripts: Record<string, readonly string[]> = {
  Latin: [
    'hello',
    'naïve',
    'ça',
    'Straße,',
    'well…',
    'no',
    'no',
    'co-op',
    "it's",
    '42',
    '7',
    '“so”',
    'NOTE',
    'WEBVTT',
  ],
  Cyrillic: ['привет', 'мир,', '«да»', 'ещё', 'нет', '10:30,', 'Ёж'],
  Greek: ['καλημέρα', 'κόσμε·', 'ναι;', 'όχι', 'ά'],
  Arabic: ['مرحبا', 'بالعالم،', 'نعم؟', 'لا', '١٢'],
  Hebrew: ['שלום', 'עולם,', 'כן', 'צה"ל', 'שָׁלוֹם'],
  Devanagari: ['नमस्ते', 'दुनिया।', 'हाँ', 'क्षत्रिय', '१२'],
  Chinese: ['你好', '世界，', '是的。', '不'],
  Japanese: ['こんにちは', '世界。', 'はい、', 'カタカナー'],
  Korean: ['안녕하세요', '세계,', '네.', '아니요'],
  Thai: ['สวัสดี', 'ชาวโลก', 'ครับ', 'ไม่'],
};

const speech = (words: readonly string[]) =>
  fc.array(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((line) => line.join(' ')),
    { minLength: 2, maxLength: 12 },
  );

const counted = (items: Iterable<string>) => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
};

describe.each(Object.entries(scripts))('speech in %s', (script, words) => {
  const isUnspaced = script === 'Chinese' || script === 'Japanese';
  const units = (text: string) =>
    counted(isUnspaced ? text.replace(/\s/g, '') : text.split(/\s+/).filter((word) => word !== ''));

  it.each(Object.entries(writers))('keeps every word in %s', (_, write) => {
    const isKept = (lines: string[]) => {
      const cleaned = cleanTranscript(write(lines))
        .replace(/^Ada Lovelace: /gm, '')
        .replaceAll('♪ ', '');
      expect(units(cleaned)).toEqual(units(lines.join(' ')));
    };
    holdsFor(speech(words), isKept, RUNS);
  });

  it('keeps every word of bare text', () => {
    holdsFor(speech(words), (lines) => {
      expect(units(cleanTranscript(lines.join('\n')))).toEqual(units(lines.join(' ')));
      expect(units(cleanTranscript(lines.join('\n\n')))).toEqual(units(lines.join(' ')));
    });
  });
});

it('four hours of captions, a million characters, are cleaned in 64 MB', () => {
  const program = `
    import { cleanTranscript } from './src/transcript/clean.ts';
    const two = (n) => String(n).padStart(2, '0');
    const at = (s) => two(Math.floor(s / 3600)) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60) + '.000';
    let text = 'WEBVTT\\n\\n';
    let words = 0;
    for (let i = 0; text.length < 999_900; i++, words += 9) {
      text += i + '\\n' + at(i) + ' --> ' + at(i + 1) + '\\nand then there were ' + i + ' of them to count\\n\\n';
    }
    const cleaned = cleanTranscript(text);
    console.log(words, cleaned.split(/\\s+/).length);
  `;
  const [words, kept] = execFileSync(
    'node',
    ['--max-old-space-size=64', '--input-type=module', '-e', program],
    {
      cwd: new URL('../../../', import.meta.url).pathname,
      encoding: 'utf8',
    },
  )
    .trim()
    .split(' ')
    .map(Number);
  expect(words).toBeGreaterThan(90_000);
  expect(kept).toBe(words);
});
