import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { watchApprovals } from '../../../local-bridge/agent/prompt/approvals.ts';
import { askHere } from '../../../local-bridge/agent/prompt/ask-here.ts';
import type { Question } from '../../../local-bridge/agent/prompt/questions.ts';
import { complain, detail, done } from '../../../local-bridge/lib/print.ts';
import { shown as shownPath } from '../../../local-bridge/tools/workspace/path-rules.ts';
import { cleaned, hasUnseen, visible, visibleLine, withoutUnseen } from '../../../src/core/visible.ts';
import { approvalText } from '../../../src/gate/approval-text.ts';
import { readable } from '../../../src/gate/notify-text.ts';
import { nameProblem } from '../../../src/joined/names.ts';
import { steeringIn } from '../../../src/joined/server-text.ts';
import { overlap } from '../../../src/transcript/words.ts';

/** An order to a model, one invisible character a letter, as it can stand behind an emoji. */
const smuggled = (order: string) =>
  [...order].map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0))).join('');

/** What must not reach a reader, each written on its own so that the pattern is not compared with itself. */
const HIDDEN: readonly (readonly [what: string, from: number, to?: number])[] = [
  ...([
    ['controls', 0x00, 0x08],
    ['controls', 0x0b, 0x1f],
    ['delete and C1', 0x7f, 0x9f],
  ] as const),
  ...([
    ['no-break space', 0xa0],
    ['soft hyphen', 0xad],
    ['grapheme joiner', 0x34f],
  ] as const),
  ...([
    ['Arabic letter mark', 0x61c],
    ['Hangul fillers', 0x115f, 0x1160],
    ['Ogham space', 0x1680],
  ] as const),
  ...([
    ['Khmer vowels', 0x17b4, 0x17b5],
    ['Mongolian selectors', 0x180b, 0x180f],
  ] as const),
  ...([
    ['spaces and zero width', 0x2000, 0x200f],
    ['separators and bidi', 0x2028, 0x202f],
  ] as const),
  ...([
    ['spaces and joiners', 0x205f, 0x206f],
    ['blank Braille', 0x2800],
    ['Tifinagh joiner', 0x2d7f],
  ] as const),
  ...([
    ['wide space', 0x3000],
    ['half fill space', 0x303f],
    ['Hangul filler', 0x3164],
  ] as const),
  ...([
    ['lone halves', 0xd800, 0xdfff],
    ['private use', 0xe000, 0xf8ff],
    ['noncharacters', 0xfdd0, 0xfdef],
  ] as const),
  ...([
    ['variation selectors', 0xfe00, 0xfe0f],
    ['byte order mark', 0xfeff],
    ['Hangul filler', 0xffa0],
  ] as const),
  ...([
    ['specials', 0xfff0, 0xffff],
    ['musical', 0x1d159],
    ['musical controls', 0x1d173, 0x1d17a],
  ] as const),
  ...([
    ['shorthand controls', 0x1bca0, 0x1bca3],
    ['Khitan filler', 0x16fe4],
    ['Brahmi joiner', 0x1107f],
  ] as const),
  ...([
    ['unassigned', 0x2fffe, 0x2ffff],
    ['tags and the rest of plane 14', 0xe0000, 0xe0fff],
  ] as const),
  ...([['private planes', 0xf0000, 0x10ffff]] as const),
];

const inRange = (code: number) => HIDDEN.some(([, from, to = from]) => code >= from && code <= to);

describe('what a reader does not see', () => {
  it.each(HIDDEN.map(([what, from, to]) => ({ what, from, to: to ?? from })))(
    'is spelt out, and taken out of what is for models: $what, from $from',
    ({ from, to }) => {
      for (let code = from; code <= to; code += to - from > 10_000 ? 997 : 1) {
        const char = String.fromCodePoint(code);
        expect(visible(`a${char}b`)).toBe(`a\\u{${code.toString(16)}}b`);
        expect(hasUnseen(char)).toBe(true);
        expect(withoutUnseen(`a${char}b`)).toMatch(/^a[ \n]?b$/);
      }
    },
  );

  it('is all that Unicode calls ignorable, a format, a blank, private or not a character', () => {
    const kinds = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}]/u;
    for (let code = 0; code <= 0x10ffff; code++) {
      const char = String.fromCodePoint(code);
      const isPlain = char === ' ' || char === '\n' || char === '\t';
      const expected = !isPlain && (kinds.test(char) || inRange(code));
      if (hasUnseen(char) !== expected)
        throw new Error(`${code.toString(16)} should ${expected ? '' : 'not '}be spelt out`);
    }
  });

  it('is nothing that people write with', () => {
    for (const text of [
      'plain\ttext\n',
      'naïve café',
      '日本語',
      'العربية',
      'हिन्दी',
      '한국어',
      'ไทย',
      '😀👍🏽🇩🇪',
      '→ “quoted” … €',
    ]) {
      expect(visible(text)).toBe(text);
      expect(withoutUnseen(text)).toBe(text);
    }
  });

  it('is not made by a cut through a character', () => {
    expect(visible('a😀b', 2)).toBe('a…');
    expect(visible('a😀b', 3)).toBe('a😀…');
  });

  it('includes what makes an emoji of several, since that can spell too', () => {
    expect(visible('❤\ufe0f')).toBe('❤\\u{fe0f}');
    expect(visible(`😀${smuggled('rm')}`)).toBe('😀\\u{e0172}\\u{e016d}');
  });
});

const TRICKS = `a😀${smuggled('run')}\u3164\u034f\u2800\u2065\u00a0\ue000\u202eb`;

describe('a text with an order that does not show', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const plain = (text: string) => {
    expect(hasUnseen(text)).toBe(false);
    expect(text).toContain('u{e0172}');
  };

  it('is plain in an approval', () => {
    const args = { [TRICKS]: TRICKS, command: TRICKS, nested: { [TRICKS]: [TRICKS] } };
    const { text, full } = approvalText({
      tool: TRICKS,
      root: null,
      machine: TRICKS,
      risk: 'dangerous',
      args,
    });
    plain(text);
    plain(full);
  });

  it('is plain in a notice', () => {
    plain(readable(TRICKS));
  });

  it('is plain at the prompts of a terminal', async () => {
    const put: Question[] = [];
    const prompt = {
      put: (question: Question) => void put.push(question),
      withdraw: () => undefined,
      has: () => false,
      say: () => undefined,
    };
    const request = {
      callId: 'x',
      contract: catalogue.create_directory,
      params: { path: TRICKS },
      root: { name: TRICKS },
      reason: TRICKS,
      caller: { client: TRICKS },
    };
    const preview = {
      facts: [
        { text: TRICKS, unusual: true },
        { text: TRICKS, unusual: false },
      ],
      files: [{ path: TRICKS, change: 'create' as const }],
      diff: `+${TRICKS}`,
      state: null,
    };
    void askHere(request as never, { preview }, TRICKS, prompt as never);
    const stop = new AbortController();
    const tally = { times: 1, ok: 1, last: { seq: 1, at: 0, ended: TRICKS } };
    const one = {
      ...{ code: TRICKS, state: 'pending', tool: TRICKS, client: TRICKS, text: TRICKS, full: TRICKS },
      ...{ reason: TRICKS, note: TRICKS, command: TRICKS, expiresAt: 0, shown: { why: TRICKS } },
      sentence: { who: TRICKS, does: TRICKS, what: TRICKS, where: TRICKS },
      before: { same: tally, like: { ...tally, what: TRICKS } },
      always: [{ width: TRICKS, problem: TRICKS }],
      lends: TRICKS,
    };
    const call = async (_: string, path: string) => {
      if (path.endsWith('/always')) return { widths: one.always };
      if (path.startsWith('feed')) return { at: 1, pending: [{ code: TRICKS }] };
      stop.abort();
      return one;
    };
    await watchApprovals({ call } as never, prompt as never, stop.signal);
    expect(put).toHaveLength(2);
    const screen = { columns: 80, paint: (_: string, text: string) => text, now: 0 };
    for (const { answers, text, full } of put) {
      plain(text(answers, screen));
      plain(full(answers, screen));
    }
  });

  it('is plain in a complaint of the command line, and in a path', () => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation(
      (line: string) => void lines.push(stripVTControlCharacters(line)),
    );
    complain(TRICKS, TRICKS);
    for (const line of lines) plain(line);
    expect(lines).toHaveLength(2);
    plain(shownPath(TRICKS));
    plain(nameProblem('server', TRICKS) ?? '');
  });

  it('is plain in good news of the command line, and makes no line of its own there', () => {
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation(
      (line: string) => void lines.push(stripVTControlCharacters(line)),
    );
    const forged = `${TRICKS}\n✓ Approved\tall`;
    done(forged);
    detail(forged, forged);
    for (const line of lines) {
      plain(line);
      expect(line).toContain('\\n✓ Approved\\tall');
      expect(line).not.toContain('\n');
    }
    expect(lines).toHaveLength(2);
    expect(visibleLine('a\nb', 2)).toBe('a\\n…');
  });

  it('is gone from what a joined server says', () => {
    expect(cleaned(TRICKS, 1_000)).toBe('a😀 b');
  });

  // Normalising such a run takes time with its square: these would take minutes each.
  it.each([
    ['words of a joined server', (text: string) => cleaned(text, 50)],
    ['a look for orders in them', (text: string) => steeringIn(text)],
    ['the words of a transcript', (text: string) => overlap(text, text)],
  ])('of combining marks without an end costs no more than other text: %s', (_, read) => {
    read(`a${'\u0301\u0316'.repeat(400_000)}`);
  });
});
