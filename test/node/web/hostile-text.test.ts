import { describe, expect, it } from 'vitest';
import { cleanTranscript } from '../../../src/transcript/clean.ts';
import { plainText, readXmlFeed } from '../../../src/web/feed-xml.ts';
import { prettyJson } from '../../../src/web/pretty-json.ts';
import { tidy } from '../../../src/web/tidy.ts';
import { challengeIn, emptiness } from '../../../src/web/trouble.ts';

const MEGA = 1_000_000;
const blanks = ' '.repeat(5 * MEGA);

/** Each of these once kept a pattern busy for hours; the test's own time is the measure. */
describe('a text made to keep its reader busy', () => {
  it.each<[string, () => unknown]>([
    ['blanks before a word', () => expect(tidy(`${blanks}x`)).toHaveLength(5 * MEGA + 1)],
    ['line ends', () => expect(tidy(`a${'\n \n'.repeat(MEGA)}b`)).toBe('a\n\nb')],
    ['fields that never end', () => expect(emptiness(page('<input '.repeat(MEGA / 2)))).toBeDefined()],
    ['frames that never end', () => expect(emptiness(page('<iframe '.repeat(MEGA / 2)))).toBeDefined()],
    ['attributes of blanks', () => expect(emptiness(page(`<input type${blanks}`))).toBeDefined()],
    [
      'tags that never end',
      () => expect(challengeIn(answer(`<title>Just a moment${'<'.repeat(64_000)}`))).toBeUndefined(),
    ],
    [
      'scripts that never end',
      () => expect(challengeIn(answer(`_cf_chl_opt${'<script'.repeat(9_000)}`))).toBeDefined(),
    ],
    ['an entry of a feed', () => expect(plainText(`<br${blanks}`.repeat(2))).toBeDefined()],
    ['a feed of opened tags', () => expect(readXmlFeed('<rss><channel>'.repeat(30_000)).items).toEqual([])],
    ['brackets', () => expect(prettyJson('['.repeat(5 * MEGA))).toBeUndefined()],
    ['JSON without end', () => expect(prettyJson(`[${'1,'.repeat(2 * MEGA)}1]`)).toBeUndefined()],
    [
      'a name before blanks',
      () => expect(cleanTranscript(`a${' '.repeat(MEGA)}\n\na${' '.repeat(MEGA)}x`)).toBe('a\n\na x'),
    ],
    [
      'a time before blanks',
      () => expect(cleanTranscript(`0:01${' '.repeat(MEGA)}-${' '.repeat(MEGA)}x`)).toBe('0:01 - x'),
    ],
    ['arrows', () => expect(cleanTranscript('00:01 --> '.repeat(99_999))).toMatch(/^00:01/)],
    ['very many short lines', () => expect(cleanTranscript('a\n'.repeat(MEGA / 2))).toHaveLength(MEGA - 1)],
    ['captions of very many lines', () => expect(cleanTranscript(captions(MEGA / 5))).toBeDefined()],
    [
      'opened tags in captions',
      () =>
        expect(cleanTranscript(`WEBVTT\n\n00:01.000 --> 00:02.000\n${'<c '.repeat(300_000)}`)).toBeDefined(),
    ],
  ])('is done with: %s', (_, check) => {
    check();
  });

  it('is laid out up to a limit', () => {
    const of = (length: number) => `[${'1'.repeat(length - 2)}]`;
    expect(prettyJson(of(MEGA))).toMatch(/^\[\n {2}1/);
    expect(prettyJson(of(MEGA + 1))).toBeUndefined();
  });
});

function page(html: string) {
  return { html, text: '', url: 'https://a.org/' };
}

function answer(head: string) {
  return { status: 503, headers: new Headers(), head };
}

function captions(lines: number): string {
  return `WEBVTT\n\n${`00:01.000 --> 00:02.000\n${'a\n'.repeat(lines)}\n`.repeat(2)}`;
}
