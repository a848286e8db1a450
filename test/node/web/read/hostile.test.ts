import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadPage, readHtml } from '../../../../src/web/read/read.ts';
import { MAX_MARKUP, repair } from '../../../../src/web/read/repair.ts';
import { MAX_ELEMENTS, parsePage } from '../../../../src/web/read/tree.ts';
import { holdsFor } from '../../../support/property.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (html: string): ReadPage =>
  readHtml({ bytes: bytes(html), contentType: 'text/html', url: 'https://paper.example/' });

const SENTENCE =
  'The pier, which storms have damaged twice, will be rebuilt, said the harbour master on Monday.';
const story = `<p>${SENTENCE}</p><p>${SENTENCE.replace('Monday', 'Tuesday')}</p>`;

/** How deep the tree is that later walks recurse into. */
function depth(html: string): number {
  let deepest = 0;
  let level = [parsePage(repair(html).html).root];
  while (level.length > 0) {
    deepest++;
    level = level.flatMap((el) => el.kids.filter((kid) => typeof kid !== 'string'));
  }
  return deepest;
}

const nested = (tag: string, times: number, inner: string) =>
  `${`<${tag}>`.repeat(times)}${inner}${`</${tag}>`.repeat(times)}`;

describe('a hostile page', () => {
  it.each(['div', 'span', 'b', 'x-element', 'table', 'h1', 'ul'])(
    'of 50,000 nested <%s> is flattened',
    (tag) => {
      const html = nested(tag, 50_000, story);
      expect(depth(html)).toBeLessThan(700);
      expect(read(html).clean_text).toContain('said the harbour master');
    },
  );

  it('is flattened before it is parsed, which grows slow with depth', () => {
    expect(repair(nested('div', 50_000, story)).html.split('<div>').length).toBeLessThan(1_000);
    const level = nested('div', 500, story);
    expect(repair(level).html).toBe(level);
  });

  it('of 50,000 unclosed tags is flattened', () => {
    expect(depth(`${'<div><p>x'.repeat(50_000)}${story}`)).toBeLessThan(700);
  });

  it('keeps the paragraphs of thousands of unclosed ones', () => {
    const html = Array.from({ length: 3_000 }, (_, i) => `<p>${SENTENCE} ${i}`).join('');
    expect(read(html).clean_text.split('\n\n')).toHaveLength(3_000);
  });

  it.each([
    ['at the limit', 0, undefined],
    ['one character over', 1, true],
  ])('of markup %s', (_, over, truncated) => {
    const html = `<p>${SENTENCE}</p>`;
    const page = read(html + ' '.repeat(MAX_MARKUP - html.length + over));
    expect(page.truncated).toBe(truncated);
    expect(page.clean_text).toBe(SENTENCE);
  });

  it.each([
    ['at the limit', MAX_ELEMENTS, undefined],
    ['one over', MAX_ELEMENTS + 1, true],
  ])('with elements %s', (_, count, truncated) => {
    expect(read('<b>x</b>'.repeat(count)).truncated).toBe(truncated);
  });

  it('of one line of 5 MB is read up to the limit', () => {
    const page = read(`<p>${'word, '.repeat(900_000)}</p>`);
    expect(page.truncated).toBe(true);
    expect(page.clean_text.length).toBeGreaterThan(MAX_MARKUP / 2);
  });

  // Each of these wore out a backtracking pattern or a rescan when it was written; a few seconds mean that it did again.
  it.each([
    ['openings of scripts', '<script '.repeat(300_000)],
    ['scripts without ends', '<script>x'.repeat(100_000)],
    ['openings of comments', '<!--'.repeat(300_000)],
    ['openings of tags', '<a '.repeat(500_000)],
    ['openings of deep tags', `${'<div>'.repeat(2_000)}${'<i '.repeat(400_000)}`],
    ['comments in a style', `<style>${'/*'.repeat(90_000)}</style>${story}`],
    ['rules without ends', `<style>${'@media{'.repeat(25_000)}</style>${story}`],
    ['a long style', `<p style="${'transform:'.repeat(150_000)}">x</p>`],
    ['long classes', `<p class="${'nav-'.repeat(300_000)}">x</p>`],
    ['a long title', `<title>${' | x'.repeat(300_000)}</title>`],
    ['a long author', `<meta name="author" content="${'by '.repeat(300_000)}">`],
    ['closings without openings', '</div>'.repeat(300_000)],
    ['broken JSON-LD', `<script type="application/ld+json">${'[{"@graph":'.repeat(40_000)}</script>`],
    ['entities', '&amp;'.repeat(300_000)],
    ['hidden answers', `<div class="question">x y z</div>${'<p class="answer" hidden>x'.repeat(60_000)}`],
    ['buttons that open', '<button aria-expanded="false">x y</button>'.repeat(50_000)],
    ['filters in filters', `${'<div class="filters"><i>x</i>'.repeat(20_000)}${story}`],
    ['marks without ends', '[a b="c" '.repeat(200_000)],
    ['marks in marks', `<p>${'[a_b c=d e=f '.repeat(100_000)}[/a_b]`],
    ['declarations that undo others', `<p style="${'display:none;display:block;'.repeat(50_000)}">x`],
    [
      'small articles',
      `<article><h1>x</h1>${story}</article>${'<article><h2><a href="/">x</a>'.repeat(30_000)}`,
    ],
    ['many small figures', '<figure><figure>x</figure></figure>'.repeat(30_000)],
  ])(
    'with nothing but %s is read all the same',
    (_, html) => {
      expect(read(html).clean_text).toBeTypeOf('string');
    },
    10_000,
  );
});

const piece = fc.constantFrom(
  ...[
    '<div>',
    '</div>',
    '<p>',
    '</p>',
    '<table><tr><td>',
    '</table>',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<style>',
  ],
  ...[
    '</style>',
    '<ul><li>',
    '</ul>',
    '<a href="/x">',
    '</a>',
    '<noscript>',
    '</noscript>',
    '<svg>',
    '</svg>',
    '<pre>',
  ],
  ...[
    '<title>',
    '</title>',
    '<html lang="en">',
    '</html>',
    '<body>',
    '</body>',
    '<![CDATA[',
    ']]>',
    '<h1>',
    '</h1>',
  ],
  ...[
    '<article>',
    '</article>',
    '<time datetime="2031-02-30">',
    '&lt;',
    '&#0;',
    '\0',
    '<meta name="author" content="x">',
  ],
  ...[
    '<div style="display:none">',
    '<form>',
    '<template>',
    '</template>',
    SENTENCE,
    'zxqv',
    '\ud83d',
    '\u202e',
    '\n',
  ],
);

describe('any mixture of markup', () => {
  it('is read without a throw, without markup of its own, and alike each time', () => {
    holdsFor(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const html = pieces.join('');
      const page = read(html);
      expect(page.clean_text).not.toContain('\u202e');
      expect(page.clean_text).not.toMatch(/<\/?(?:div|article|script|style)\b/);
      expect(read(html)).toEqual(page);
    });
  });

  it('is read whatever its bytes and its label', () => {
    const label = fc.constantFrom(
      '',
      'text/html; charset=utf-8',
      'text/html; charset=shift_jis',
      'x; charset=nonsense',
    );
    holdsFor(fc.tuple(fc.uint8Array({ maxLength: 400 }), label), ([raw, contentType]) => {
      expect(readHtml({ bytes: raw, contentType, url: 'no address' }).clean_text).toBeTypeOf('string');
    });
  });
});
