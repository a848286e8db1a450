import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { readHtml } from '../../../src/web/read/read.ts';
import { MAX_MARKUP, repair } from '../../../src/web/read/repair.ts';
import { tidy } from '../../../src/web/tidy.ts';
import { texts } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const PROSE = 'A sentence that is long enough to be one, and has a comma. And another follows it right here.';
const ARTICLE = `<!doctype html><html lang="en"><head><title>A title | Site</title><meta property="og:title" content="A title">
<meta name="author" content="Ada Lovelace"><meta property="article:published_time" content="2024-02-03T04:05:06Z">
<script type="application/ld+json">{"@type":"NewsArticle","headline":"A title","author":{"name":"Ada"},"datePublished":"2024-02-03"}</script>
<style>.gone{display:none}</style></head><body><nav><a href="/">Home</a></nav><article><h1>A title</h1>
<p class="byline">By <a rel="author">Ada Lovelace</a>, <time datetime="2024-02-03">3 Feb</time></p><p>${PROSE}</p><p>${PROSE}</p>
<ul><li>One</li><li>Two</li></ul><pre><code>let a = 1;</code></pre><table><tr><th>a</th><td>b</td></tr></table>
<div class="gone">Hidden</div></article><footer>© 2024 <a href="#">Terms</a></footer></body></html>`;
const SHOP = `<title>Lamp</title><script type="application/ld+json">[{"@graph":[{"@type":["Product"],"description":"${PROSE}","offers":{"price":"9"}}]}]</script><div id="app"></div><noscript>Enable JavaScript to run this app.</noscript>`;
const FORUM = `<div class="thread"><div class="post" itemscope itemtype="https://schema.org/Comment"><span class="author">bo</span><p>${PROSE}</p></div><div class="post"><blockquote>q</blockquote><p>${PROSE}</p></div></div>`;
const WALL =
  '<title>Just a moment...</title><form action="/login"><input type=password></form><div class="paywall">Subscribe to read</div>';
const WORDS = [
  ...[
    '<div>',
    '</div>',
    '<p>',
    '</p>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<script>',
    '</script>',
    '<style>',
    '</style>',
  ],
  ...[
    '<svg>',
    '</svg>',
    '<textarea>',
    '<title>',
    '<template>',
    '<noscript>',
    '</noscript>',
    '<table>',
    '<td>',
    '<pre>',
    '</html>',
  ],
  ...[
    '<meta ',
    'property="og:title"',
    'content="',
    'lang="',
    'datetime="',
    '<time datetime="2024-13-45">',
    'itemprop="author"',
  ],
  ...[
    'style="display:none"',
    'hidden',
    'aria-hidden="true"',
    'class="',
    '"',
    "'",
    '>',
    '<',
    '&#x110000;',
    '&nbsp;',
    '&#0;',
    '\0',
  ],
  ...[
    '{"@type":"Article","author":[{"name":1},null]}',
    '{"datePublished":{"@value":[]}}',
    '"@graph":',
    '😀',
    '<br>',
    '<h1>',
    '<a href="#">',
  ],
  ...[
    '<script type="application/ld+json">',
    '2024-02-30',
    'By ',
    'Published on 1 January 2020',
    '<article>',
    '</article>',
    PROSE,
  ],
];

const read = (html: string) =>
  readHtml({
    bytes: Buffer.from(html),
    contentType: 'text/html; charset=utf-8',
    url: 'https://site.example/2024/02/a-title',
  });

const html = target({
  name: 'html',
  isSlow: true,
  seeds: [ARTICLE, SHOP, FORUM, WALL],
  grammar: fc.oneof(
    texts(WORDS, 30),
    fc.tuple(fc.constantFrom(ARTICLE, SHOP, FORUM), fc.nat(), texts(WORDS, 6)).map(([page, at, more]) => {
      const place = at % page.length;
      return page.slice(0, place) + more + page.slice(place);
    }),
  ),
  words: WORDS,
  parse: read,
  properties: {
    'every field is a well-formed text or nothing': (page) => {
      for (const text of [page.clean_text, page.title, page.byline, page.published_at, page.lang]) {
        assert.ok(text === null || (typeof text === 'string' && text.isWellFormed()));
      }
    },
    'what is not known is nothing, and not an empty text': (page) => {
      for (const text of [page.title, page.byline, page.published_at, page.lang])
        assert.notEqual(text?.trim(), '');
    },
    'a date is a day that there is': ({ published_at }) => {
      if (published_at === null) return;
      const [, day = ''] =
        /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.exec(published_at) ??
        [];
      assert.equal(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10), day, published_at);
      assert.ok(!Number.isNaN(Date.parse(published_at)), published_at);
    },
    'a language is a tag': ({ lang }) => {
      if (lang !== null) assert.match(lang, /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/);
    },
    'a title and a name fit on a line': ({ title, byline }) => {
      for (const text of [title, byline]) assert.ok(!text?.includes('\n') && (text?.length ?? 0) <= 1_000);
    },
    'tidying what is tidy changes nothing': ({ clean_text }) => {
      const once = tidy(clean_text);
      assert.equal(tidy(once), once);
    },
    'what was hidden before anything else stays hidden': (_, input) => {
      const { clean_text } = read(`<div style="display:none">Zanzibarquux ${PROSE}</div>${input}`);
      assert.ok(!clean_text.includes('Zanzibarquux'));
    },
  },
});

/** What is said of each script, as the parser that comes next reads it. */
function scriptsIn(markup: string): string[] {
  const scripts: string[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'script') scripts.push(JSON.stringify(attributes));
    },
  });
  parser.end(markup);
  return scripts;
}

const shell = target({
  name: 'html-repair',
  seeds: [
    ARTICLE,
    `${'<div>'.repeat(700)}x${'</div>'.repeat(700)}`,
    '<!-- endless <p>text',
    '<script>a</script><svg>b</svg>c',
  ],
  grammar: texts([...WORDS, '<div><b><i><u>'.repeat(200)], 30),
  words: WORDS,
  parse: repair,
  properties: {
    'what is mended is no longer than what came': ({ html: mended }, input) => {
      assert.ok(mended.length <= input.length && mended.length <= MAX_MARKUP);
    },
    'no script is left but what describes the page': ({ html: mended }, input) => {
      // What is cut out in the middle of a tag may leave another one.
      if (/<!--|<!\[CDATA\[|\]\]>|\0/.test(input)) return;
      for (const script of scriptsIn(mended)) assert.match(script, /ld\+json/i);
    },
    'no comment is left': ({ html: mended }) => {
      assert.ok(!mended.includes('<!--'));
    },
  },
});

export const htmlTargets: readonly Target[] = [html, shell];
