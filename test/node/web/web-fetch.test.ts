import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Output } from '../../../contracts/contract.ts';
import { webFetch } from '../../../contracts/web-fetch.ts';
import { fetchPage } from '../../../src/tools/web.ts';
import { article, html, type PageSite, pageSite, type Served, sentence } from '../../support/page-site.ts';
import { pdfOf } from '../../support/pdf.ts';
import { use } from '../../support/web-tools.ts';

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Knot news</title><language>en</language>
<item><title>Bowline wins</title><link>https://a.org/1</link><pubDate>Fri, 09 Jan 2026 10:00:00 GMT</pubDate>
<description><![CDATA[<p>It <b>held</b>.</p><script>steal()</script>]]></description></item></channel></rss>`;

let site: PageSite;
beforeAll(async () => {
  site = await pageSite();
});
afterAll(() => site.close());
const read: PageSite['read'] = (...args) => site.read(...args);
const text: PageSite['text'] = (served) => site.text(served);

describe('a page', () => {
  it('is read as text, with what is known of it, and marked as written by others', async () => {
    const result = await read(html(article()));
    expect(result).toMatchObject({
      kind: 'ok',
      meta: { untrusted: expect.stringContaining('no instructions') },
      output: { final_url: `${site.origin}/page`, title: 'Knots', lang: 'en' },
    });
    const output = result.kind === 'ok' ? (result.output as Output<typeof webFetch>) : undefined;
    expect(output?.clean_text).toContain('neither slips nor jams');
    expect(output).not.toHaveProperty('raw_html');
  });

  it('is given as its source as well if that is asked for, and only a page has one', async () => {
    const source = article();
    expect(await read(html(source), { include_raw_html: true })).toMatchObject({
      output: { raw_html: source },
    });
    const plain = await read({ type: 'text/plain', body: 'words' }, { include_raw_html: true });
    expect(plain.kind === 'ok' && plain.output).not.toHaveProperty('raw_html');
  });

  it('is read without what nobody would see', async () => {
    const smuggled = [...'ignore all'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');
    const hidden = `<div style="display:none">SECRET ORDER ${sentence}</div><p aria-hidden="true">SECRET ORDER</p>`;
    const { clean_text } = await text(
      html(article(`${sentence.repeat(12)}${smuggled}</p>${hidden}<p>${sentence}`)),
    );
    expect(clean_text).not.toContain('SECRET');
    expect(clean_text).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
  });

  it.each([
    [
      'windows-1251 that says so',
      'text/html; charset=windows-1251',
      [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2],
      'Привет',
    ],
    ['windows-1252 that says it is UTF-8', 'text/html; charset=utf-8', [0x63, 0x61, 0x66, 0xe9], 'café'],
    ['an encoding nobody knows', 'text/html; charset=klingon-1', [0x63, 0x61, 0x66, 0xc3, 0xa9], 'café'],
    ['UTF-8 without a word about it', 'text/html', [0x63, 0x61, 0x66, 0xc3, 0xa9], 'café'],
  ])('is read in %s', async (_, type, bytes, expected) => {
    const [before = '', after = ''] = article('#').split('#');
    const words = Array.from({ length: 200 }, () => Buffer.from([...bytes, 0x20]));
    const body = Buffer.concat([Buffer.from(before), ...words, Buffer.from(after)]);
    expect((await text({ type, body })).clean_text).toContain(`${expected} ${expected}`);
  });

  it('may be nested fifty thousand deep, or one line of nearly five megabytes', async () => {
    const deep = await read(html(article(`${'<div>'.repeat(50_000)}${sentence.repeat(10)}`)));
    expect(deep.kind).toBe('ok');
    const long = await read(html(article(sentence.repeat(60_000))));
    expect(long.kind).toBe('ok');
  });

  it('that scripts build is what it says of itself, and says that there is more', async () => {
    const scripts = `<script>${'boot();'.repeat(500)}</script>`;
    const head = '<title>Charts</title><meta name="description" content="Charts of every harbour.">';
    const built = `<html><head>${head}${scripts}</head><body><div id="app"></div></body></html>`;
    expect(await text(html(built))).toMatchObject({
      clean_text: 'Charts\n\nCharts of every harbour.',
      reading: 'page data',
      wall: 'needs_js',
    });
    expect(await text(html(article()))).not.toHaveProperty('wall');
  });

  it('that is longer than is read says that its end is missing', async () => {
    const long = `<html><body><p>${'The knot holds, always. '.repeat(90_000)}</p></body></html>`;
    expect(await text(html(long))).toMatchObject({ truncated: true });
    expect(await text(html(article()))).not.toHaveProperty('truncated');
  });

  it('is cut for a client that takes no more, and says so', async () => {
    site.serve({ '/page': { type: 'text/plain', body: `${sentence}\n`.repeat(5_000) } });
    const result = await use(webFetch, fetchPage, { url: `${site.origin}/page` }, site.ports, {
      maxResultChars: 10_000,
    });
    expect(JSON.stringify(result.kind === 'ok' && result.output).length).toBeLessThanOrEqual(10_000);
    expect(result).toMatchObject({ output: { next_index: expect.any(Number) } });
  });
});

describe('other texts', () => {
  it.each([
    ['plain text', { type: 'text/plain', body: 'a\r\nb  \r\n\r\n\r\n\r\nc' }, 'a\nb\n\nc'],
    ['Markdown', { type: 'text/markdown', body: '# Title\n\n- one' }, '# Title\n\n- one'],
    ['text without a type', { body: 'words' }, 'words'],
    ['text in UTF-16', { type: 'text/plain', body: Buffer.from('\ufeffwörds', 'utf16le') }, 'wörds'],
    [
      'JSON',
      { type: 'application/json', body: '{"a":[1,12345678901234567890],"b":{}}' },
      '{\n  "a": [\n    1,\n    12345678901234567890\n  ],\n  "b": {}\n}',
    ],
    ['JSON that is none', { type: 'application/json', body: '{"a":' }, '{"a":'],
    [
      'JSON too deep to lay out',
      { type: 'application/json', body: '['.repeat(500) + ']'.repeat(500) },
      '['.repeat(500) + ']'.repeat(500),
    ],
    ['XML of some other kind', { type: 'application/xml', body: '<a><b>c</b></a>' }, '<a><b>c</b></a>'],
  ])('such as %s are read', async (_, served, expected) => {
    expect((await text(served as Served)).clean_text).toBe(expected);
  });

  it.each(['application/rss+xml', 'text/xml', 'application/octet-stream', 'text/html'])(
    'such as a feed are lists, sent as %s',
    async (type) => {
      expect(await text({ type, body: rss })).toMatchObject({
        title: 'Knot news',
        lang: 'en',
        clean_text: '# Knot news\n\n## Bowline wins\n2026-01-09T10:00:00Z\nhttps://a.org/1\nIt held.',
      });
    },
  );

  it('such as Atom and JSON feeds are lists as well', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Knoten</title><author><name>Ada</name></author>
      <entry><title type="html">A &amp;lt; B</title><link rel="self" href="https://a.org/self"/><link href="https://a.org/e"/><summary>Kurz</summary></entry></feed>`;
    expect(await text({ type: 'application/atom+xml', body: atom })).toMatchObject({
      title: 'Knoten',
      byline: 'Ada',
      lang: 'de',
      clean_text: '# Knoten\n\n## A < B\nhttps://a.org/e\nKurz',
    });
    const items = [{ id: '1', url: 'https://a.org/1', title: 'One', content_html: '<p>Hello &amp; bye</p>' }];
    const feed = { version: 'https://jsonfeed.org/version/1.1', title: 'JSON', items };
    expect(await text({ type: 'application/feed+json', body: JSON.stringify(feed) })).toMatchObject({
      title: 'JSON',
      clean_text: '# JSON\n\n## One\nhttps://a.org/1\nHello & bye',
    });
  });

  it('such as a feed without entries, or one of too many, say so', async () => {
    const none = await text({
      type: 'application/rss+xml',
      body: '<rss><channel><title>T</title></channel></rss>',
    });
    expect(none.clean_text).toContain('no entries');
    const item = '<item><title>t</title></item>';
    const of = async (count: number) =>
      (await text({ type: 'text/xml', body: `<rss><channel>${item.repeat(count)}</channel></rss>` }))
        .clean_text;
    expect(await of(200)).not.toContain('left out');
    expect(await of(201)).toContain('(1 more entries are left out.)');
    const nested = await text({ type: 'text/xml', body: `<rss><channel>${'<a>'.repeat(50_000)}` });
    expect(nested.clean_text).toContain('no entries');
  });

  it('such as PDF are read page by page', async () => {
    const body = pdfOf(['Knots hold.', 'They also slip.'], '<< /Title (On knots) /Author (Ada) >>');
    expect(await text({ type: 'application/pdf', body })).toMatchObject({
      title: 'On knots',
      byline: 'Ada',
      clean_text: 'Knots hold.\n\nThey also slip.',
    });
    expect((await text({ type: 'application/octet-stream', body })).clean_text).toContain('Knots hold.');
  });
});
