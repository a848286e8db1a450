import assert from 'node:assert/strict';
import fc from 'fast-check';
import { feedAsText, MAX_FEED_ITEMS, readJsonFeed } from '../../../src/web/feed.ts';
import { plainText, readXmlFeed } from '../../../src/web/feed-xml.ts';
import { mediaOf } from '../../../src/web/media.ts';
import { unpacksTooLarge } from '../../../src/web/pdf-size.ts';
import { prettyJson } from '../../../src/web/pretty-json.ts';
import { decodePage } from '../../../src/web/read/charset.ts';
import { bytesIn, inputOf, mixedJson, texts, utf8 } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const RSS = `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://a.example/</link>
<description>About</description><language>en</language><item><title>One</title><link>https://a.example/1</link>
<pubDate>Wed, 02 Oct 2024 08:00:00 GMT</pubDate><dc:creator>Ada</dc:creator><description><![CDATA[<p>Hi <b>you</b></p>]]></description></item></channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>T</title><updated>2024-05-01T00:00:00Z</updated>
<author><name>Bo</name></author><entry><title type="html">&lt;i&gt;x&lt;/i&gt;</title><link rel="alternate" href="https://b.example/2"/>
<id>urn:1</id><published>2024-05-01</published><summary>S</summary></entry></feed>`;
const RDF = `<rdf:RDF><channel><title>C</title></channel><item><title>I</title><guid isPermaLink="false">x</guid><dc:date>2024</dc:date></item></rdf:RDF>`;
const TAGS = [
  ...[
    '<item>',
    '</item>',
    '<entry>',
    '</entry>',
    '<title>',
    '</title>',
    '<link>',
    '<link href="https://c.example/"/>',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '&lt;',
    '&#x1F600;',
    '&#0;',
    '&amp;',
    '<channel>',
    '<guid>',
    '<pubDate>',
    '<?xml',
  ],
  ...[
    '<p hidden>',
    '<script>',
    '</script>',
    '<br>',
    'javascript:alert(1)',
    '+275760-09-13',
    '<author><name>',
    '😀'.repeat(30),
  ],
];

const isText = (text: string | null) => text === null || text.isWellFormed();
const ISO = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

const feed = target({
  name: 'feed-xml',
  seeds: [RSS, ATOM, RDF],
  grammar: fc.oneof(
    texts(TAGS),
    texts(TAGS).map((inside) => RSS.replace('About', inside)),
  ),
  words: TAGS,
  parse: (input) => readXmlFeed(input.toWellFormed()),
  properties: {
    'there are only so many entries, and links of the web alone': ({ items }) => {
      assert.ok(items.length <= MAX_FEED_ITEMS);
      for (const { url } of items) assert.ok(url === '' || /^https?:\/\/\S+$/.test(url));
    },
    'dates are ISO 8601': ({ items, updated }) => {
      for (const date of [updated, ...items.map((item) => item.date)])
        assert.ok(date === null || ISO.test(date), String(date));
    },
    'texts are well-formed': ({ title, byline, lang, about, items }) => {
      for (const text of [title, byline, lang, about]) assert.ok(isText(text));
      for (const item of items) assert.ok(Object.values(item).every(isText));
    },
    'it can be written out as a list': (read) => {
      const text = feedAsText(read);
      assert.ok(text.isWellFormed());
      assert.ok(text.split('\n## ').length - 1 <= read.items.length + text.length);
    },
  },
});

const FEED_JSON = {
  version: 'https://jsonfeed.org/version/1.1',
  title: 'T',
  description: 'D',
  language: 'en',
  authors: [{ name: 'A' }],
  items: [
    {
      title: 'x',
      url: 'https://a.example',
      date_published: '2024-01-01',
      content_html: '<p>a</p>',
      authors: [{}],
    },
  ],
};

const feedJson = target({
  name: 'feed-json',
  seeds: [JSON.stringify(FEED_JSON), '{"items":[{"summary":"s"},{}]}', '[1,{"a":[]}]'],
  grammar: mixedJson([FEED_JSON, { items: [{}] }]),
  words: [
    '"items":[{}]',
    '"title":',
    'null',
    '1e999',
    '"\\ud800"',
    '{',
    '}',
    '[',
    ']',
    '12345678901234567890',
  ],
  refuses: [SyntaxError],
  parse: (input) => ({ json: JSON.parse(input) as unknown, pretty: prettyJson(input) }),
  properties: {
    'a feed can be written out, and nothing else passes for one': ({ json }) => {
      const read = readJsonFeed(json, plainText);
      if (read) assert.equal(typeof feedAsText(read), 'string');
    },
    'JSON that is laid out spells every value as it was': ({ pretty }, input) => {
      if (pretty === undefined) return;
      const bare = (text: string) => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
      assert.equal(bare(pretty), bare(input));
    },
  },
});

const charset = target({
  name: 'charset',
  isBinary: true,
  seeds: [
    `text/html; charset=utf-8\n${utf8('<p>é')}`,
    'text/html\n<meta charset="shift_jis">\x83\x65\x83\x58\x83\x67',
    `text/html\n\xef\xbb\xbf${utf8('ä')}`,
    'text/html\n\xff\xfeh\0i\0',
    'text/html; charset="iso-8859-1"\ncaf\xe9',
    '\n<?xml version="1.0" encoding="koi8-r"?>\xc1',
  ],
  grammar: fc
    .tuple(
      fc.constantFrom(
        'utf-8',
        'windows-1252',
        'gbk',
        'big5',
        'utf-16',
        'x-user-defined',
        'replacement',
        'nonsense',
        '"',
        '',
      ),
      texts(['<meta charset=', 'gbk', '>', 'abc', '<p>']),
    )
    .map(([label, text]) => `text/html; charset=${label}\n${utf8(text)}`),
  words: [
    '<meta charset="',
    '<?xml encoding="utf-16"',
    'utf-16',
    '\xef\xbb\xbf',
    '\xfe\xff',
    '\xc3\xa9',
    '\xff',
    '\n',
  ],
  parse: (input) => {
    const [contentType, bytes] = partsOf(input);
    return decodePage(bytes, contentType);
  },
  properties: {
    'the text is well-formed': (text) => {
      assert.ok(text.isWellFormed());
    },
    'a BOM has the first word': (text, input) => {
      const [, bytes] = partsOf(input);
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
        assert.equal(text, new TextDecoder().decode(bytes));
    },
    'ASCII in an encoding that has it stays what it is': (text, input) => {
      const [contentType, bytes] = partsOf(input);
      if (/charset/i.test(contentType) || bytes.some((byte) => byte > 0x7e || byte < 0x20)) return;
      const ascii = inputOf(bytes);
      if (!/charset|encoding/i.test(ascii)) assert.equal(text, ascii);
    },
    'UTF-8 that nothing speaks against is read as UTF-8': (text, input) => {
      const [contentType, bytes] = partsOf(input);
      const decoded = new TextDecoder().decode(bytes);
      if (/charset/i.test(contentType) || /charset|encoding/i.test(decoded) || decoded.includes('\ufffd'))
        return;
      if (bytes[0] === 0xff || bytes[0] === 0xfe) return;
      assert.equal(text, decoded);
    },
  },
});

function partsOf(input: string): [contentType: string, bytes: Uint8Array] {
  const end = input.indexOf('\n');
  return [input.slice(0, Math.max(0, end)), bytesIn(input.slice(end + 1))];
}

const media = target({
  name: 'media',
  isBinary: true,
  seeds: [
    `application/pdf\n%PDF-1.4\n1 0 obj <</Filter /FlateDecode>> stream\nx\x9c\x03\0\0\0\0\x01\nendstream`,
    'text/html\n<!doctype html>',
    '\n<?xml version="1.0"?><rss>',
    'application/feed+json\n{"version":"https://jsonfeed.org/version/1"}',
    'image/png\n\x89PNG\r\n',
  ],
  grammar: texts([
    '%PDF-',
    '<rss',
    '<!--',
    '-->',
    '<?xml',
    '\n',
    'text/plain',
    'stream\n',
    'endstream',
    '/Filter [',
    ' obj',
  ]).map(utf8),
  words: [
    '%PDF-',
    '<!--',
    '<?',
    '<html',
    'PK\x03\x04',
    '\0',
    'stream\n',
    'endstream',
    ' obj',
    '/Filter /FlateDecode',
    'x\x9c',
  ],
  parse: async (input) => {
    const [contentType, bytes] = partsOf(input);
    return { media: mediaOf(bytes, contentType), isTooLarge: await unpacksTooLarge(bytes) };
  },
  properties: {
    'what it is can be said in a line': ({ media: { what } }) => {
      assert.ok(what.length < 200 && !/[\n\0]/.test(what));
    },
    'a small file does not unpack to more than can be held': ({ isTooLarge }, input) => {
      assert.ok(!isTooLarge || input.length > 60_000);
    },
  },
});

export const web: readonly Target[] = [feed, feedJson, charset, media];
