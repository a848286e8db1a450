import { describe, expect, it } from 'vitest';
import { cleanTranscript } from '../../../src/transcript/clean.ts';

const vtt = (...cues: [from: string, to: string, ...lines: string[]][]) =>
  `WEBVTT\n\n${cues.map(([from, to, ...lines]) => `${from} --> ${to}\n${lines.join('\n')}\n`).join('\n')}`;

describe('a speaker', () => {
  it.each<[string, string]>([
    [
      'Zoom',
      vtt(
        ['00:01.000', '00:02.000', 'Ada L.: Hello there.'],
        ['00:02.000', '00:03.000', 'Ada L.: How?'],
        ['00:03.000', '00:04.000', 'Bob: Fine.'],
      ),
    ],
    [
      'Teams',
      vtt(
        ['00:01.000', '00:02.000', '<v Ada L.>Hello there.</v>'],
        ['00:02.000', '00:03.000', '<v Ada L.>How?</v>'],
        ['00:03.000', '00:04.000', '<v Bob>Fine.</v>'],
      ),
    ],
    ['two on the screen', vtt(['00:01.000', '00:04.000', '<v Ada L>Hello there. How?', '<v Bob>Fine.'])],
    ['two in a line', vtt(['00:01.000', '00:04.000', '<v Ada L>Hello there. How?</v> <v Bob>Fine.</v>'])],
    [
      'an older Teams',
      '0:0:0.0 --> 0:0:2.370\nAda L\nHello there.\n\n0:0:2.4 --> 0:0:3.0\nAda L\nHow?\n\n0:0:3.0 --> 0:0:4.0\nBob\nFine.\n\n0:0:4.0 --> 0:0:5.0\nBob\nYes.',
    ],
    ['Otter', 'Ada L  0:05  \nHello there.\nHow?\n\nBob  0:12  \nFine.\n'],
    ['Zoom in the cloud', '[Ada L] 10:01:02\nHello there. How?\n\n[Bob] 10:01:05\nFine.'],
    ['Rev', 'Ada L (00:01):\nHello there. How?\n\nBob (00:05):\nFine.'],
    [
      'lines with times',
      '[00:00:01] Ada L: Hello there.\n[00:00:02] Ada L: How?\n[00:00:03] Bob: Fine.\n[00:00:04] Bob: Yes.',
    ],
    [
      'lines from one time to another',
      '0:01 --> 0:02 Ada L: Hello there.\n0:02 --> 0:03 Ada L: How?\n0:03 --> 0:04 Bob: Fine.\n0:04 --> 0:05 Bob: Yes.',
    ],
    ['bare lines', 'Ada L: Hello there. How?\nBob: Fine.'],
  ])('is kept, once a turn: %s', (_, text) => {
    expect(cleanTranscript(text)).toMatch(/^Ada L\.?: Hello there\. How\?\n\nBob: Fine\.(?: Yes\.)?$/);
  });

  it('is not everything before a colon', () => {
    expect(
      cleanTranscript(
        vtt(['00:01.000', '00:02.000', 'Remember: tie it.'], ['00:02.000', '00:03.000', 'Twice.']),
      ),
    ).toBe('Remember: tie it. Twice.');
  });

  it('who is not named still has turns of their own', () => {
    expect(
      cleanTranscript(
        vtt(['00:01.000', '00:02.000', '- Tied?', '- Tied.'], ['00:02.000', '00:03.000', '>> Good.']),
      ),
    ).toBe('Tied?\n\nTied.\n\nGood.');
  });
});

describe('a paragraph', () => {
  it('ends with a long pause', () => {
    expect(
      cleanTranscript(
        vtt(
          ['00:01.000', '00:02.000', 'one'],
          ['00:04.900', '00:05.000', 'two'],
          ['00:08.000', '00:09.000', 'three'],
        ),
      ),
    ).toBe('one two\n\nthree');
  });

  it('ends with a sentence once it is long, and somewhere when it is very long', () => {
    const cue = (i: number, line: string) => `${i}\n00:00:0${i % 6},000 --> 00:00:0${i % 6},500\n${line}\n`;
    const long = 'word '.repeat(130).trim();
    expect(cleanTranscript([cue(1, `${long}.`), cue(2, 'Next.')].join('\n'))).toBe(`${long}.\n\nNext.`);
    expect(cleanTranscript([cue(1, long), cue(2, 'next.'), cue(3, 'And.')].join('\n'))).toBe(
      `${long} next.\n\nAnd.`,
    );
    expect(cleanTranscript([cue(1, `${long} ${long} ${long}`), cue(2, 'next')].join('\n'))).toBe(
      `${long} ${long} ${long}\n\nnext`,
    );
  });

  it('of bare text ends where it did', () => {
    expect(cleanTranscript('one\ntwo\n\n\nthree\r\nfour')).toBe('one two\n\nthree four');
  });

  it('is joined without blanks where the script has none', () => {
    expect(
      cleanTranscript(
        vtt(
          ['00:01.000', '00:02.000', '今日は天気が'],
          ['00:02.000', '00:03.000', 'いいですね。'],
          ['00:03.000', '00:04.000', 'OK です'],
        ),
      ),
    ).toBe('今日は天気がいいですね。 OK です');
  });
});

describe('what is said', () => {
  it.each<[string, string, string]>([
    [
      'a number that no index is',
      '1\n00:00:01,000 --> 00:00:02,000\n42\n\n2\n00:00:03,000 --> 00:00:04,000\n43\n',
      '42 43',
    ],
    [
      'a number right above the next times',
      '00:00:01,000 --> 00:00:02,000\n42\n00:00:03,000 --> 00:00:04,000\nx',
      '42 x',
    ],
    [
      'twice in captions that do not roll',
      vtt(['00:01.000', '00:02.000', 'No.'], ['00:02.000', '00:03.000', 'No.']),
      'No. No.',
    ],
    [
      'times, where they are spoken',
      'At 10:30 we met.\n10:30 is late.\n11:00 is later.',
      'At 10:30 we met. 10:30 is late. 11:00 is later.',
    ],
    [
      'a heading that no turn is',
      'We meet at 10:30\nand again at 9:15\n',
      'We meet at 10:30 and again at 9:15',
    ],
    ['before the first times', 'A title\n\n1\n00:00:01,000 --> 00:00:02,000\nx', 'A title x'],
    ['a warning, again', 'Note: one.\n\nNote: two.', 'Note: one.\n\nNote: two.'],
    [
      'mark-up in a file that has none',
      '00:00:01,000 --> 00:00:02,000\na < b &amp; c > d',
      'a < b &amp; c > d',
    ],
    [
      'mark-up that stands for itself',
      vtt(['00:01.000', '00:02.000', 'a &lt;b&gt; &amp;amp; c']),
      'a <b> &amp; c',
    ],
  ])('stays: %s', (_, text, cleaned) => {
    expect(cleanTranscript(text)).toBe(cleaned);
  });

  it('again while it rolls up goes, with and without times of single words', () => {
    const lines = ['so this', 'is how', 'you tie', 'a knot', 'that holds'];
    const rolling = lines.map(
      (line, i) =>
        [`00:0${i}.000`, `00:0${i + 1}.000`, ...(i ? [lines[i - 1] ?? ''] : []), line] as [
          string,
          string,
          string,
        ],
    );
    expect(cleanTranscript(vtt(...rolling))).toBe(lines.join(' '));
    const growing = lines.map(
      (_, i) =>
        [`00:0${i}.000`, `00:0${i + 1}.000`, lines.slice(0, i + 1).join(' ')] as [string, string, string],
    );
    expect(cleanTranscript(vtt(...growing))).toBe(lines.join(' '));
  });

  it('may be nothing', () => {
    expect(cleanTranscript('1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\n')).toBe(
      '',
    );
    expect(cleanTranscript('WEBVTT\n\nNOTE nothing\n')).toBe('WEBVTT\n\nNOTE nothing');
    expect(cleanTranscript(' \n\t\n')).toBe('');
  });
});
