import { describe, expect, it } from 'vitest';
import { names } from '../../../../src/web/read/meta/byline.ts';
import { ldNodes, tidy } from '../../../../src/web/read/meta/facts.ts';
import { isoDate, writtenDate } from '../../../../src/web/read/meta/written-date.ts';
import { readHtml } from '../../../../src/web/read/read.ts';

const read = (head: string, body = '', url = 'https://www.paper.example/news') =>
  readHtml({
    bytes: new TextEncoder().encode(`<html><head>${head}</head><body>${body}</body></html>`),
    contentType: '',
    url,
  });

describe('a date', () => {
  it.each([
    ['2031-03-05', '2031-03-05'],
    ['2031-03-05T08:30:00+02:00', '2031-03-05T08:30:00+02:00'],
    ['2031-03-05T08:30:00+0200', '2031-03-05T08:30:00+02:00'],
    ['2031-03-05T08:30:00.123Z', '2031-03-05T08:30:00Z'],
    ['2031-03-05 08:30', '2031-03-05T08:30:00'],
    ['2031-03-05 08:30 UTC', '2031-03-05T08:30:00Z'],
    ['20310305', '2031-03-05'],
    ['2031/03/05', '2031-03-05'],
    ['1930465800', '2031-03-05T08:30:00Z'],
    ['Wed, 05 Mar 2031 08:30:00 GMT', '2031-03-05'],
    ['2031-13-05', null],
    ['2031-03-32', null],
    ['soon', null],
    ['', null],
  ])('for machines, %s', (text, iso) => {
    expect(isoDate(text)).toBe(iso);
  });

  it.each([
    ['5 March 2031', '2031-03-05'],
    ['March 5th, 2031', '2031-03-05'],
    ['Mar. 5, 2031 at 9:00', '2031-03-05'],
    ['5. März 2031', '2031-03-05'],
    ['5 de marzo de 2031', '2031-03-05'],
    ['5 mars 2031', '2031-03-05'],
    ['05.03.2031', '2031-03-05'],
    ['03/05/2031', '2031-03-05'],
    ['25/03/2031', '2031-03-25'],
    ['2031年3月5日', '2031-03-05'],
    ['5 марта 2031', '2031-03-05'],
    ['12 apples 2031', null],
    ['In 2031', null],
    ['99.99.2031', null],
  ])('for people, %s', (text, iso) => {
    expect(writtenDate(text)).toBe(iso);
  });

  it('stands in the metadata before the page, and in the page before the address', () => {
    const meta = '<meta property="article:published_time" content="2031-03-05">';
    const shown = '<h1>Pier</h1><time datetime="2031-04-06">6 April</time><p>Text.</p>';
    const address = 'https://paper.example/2031/05/07/pier';
    expect(read(meta, shown, address).published_at).toBe('2031-03-05');
    expect(read('', shown, address).published_at).toBe('2031-04-06');
    expect(read('', '<h1>Pier</h1><p>Text.</p>', address).published_at).toBe('2031-05-07');
  });

  it('of a change is not the date of publication', () => {
    expect(read('', '<h1>Pier</h1><p>Updated 5 March 2031</p><p>Text.</p>').published_at).toBeNull();
    expect(
      read('', '<h1>Pier</h1><time class="updated" datetime="2031-03-05"></time>').published_at,
    ).toBeNull();
    const line = 'This page was last modified on <time datetime="2031-03-05">5 March</time>';
    expect(read('', `<h1>Pier</h1><p>${line}</p>`).published_at).toBeNull();
  });

  it.each([
    ['<meta name="x-published-date" content="2031-03-05">', ''],
    ['', '<div class="story-date"><span>March 5, 2031</span></div>'],
    [
      '<script type="application/ld+json">{"@type":"Blog","blogPost":[{"@type":"BlogPosting","datePublished":"2031-03-05"}]}</script>',
      '',
    ],
    [
      '<script type="application/ld+json">{&quot;@type&quot;:&quot;Article&quot;,&quot;datePublished&quot;:&quot;2031-03-05&quot;}</script>',
      '',
    ],
  ])('is found in %s%s', (head, body) => {
    expect(read(head, `<p>Pier.</p>${'<p>A line of no use.</p>'.repeat(20)}${body}`).published_at).toBe(
      '2031-03-05',
    );
  });

  it.each([
    ['en-US', 'https://paper.example/', '2031-03-05'],
    ['', 'https://paper.example/', '2031-03-05'],
    ['en', 'https://paper.co.uk/', '2031-05-03'],
    ['en-GB', 'https://paper.example/', '2031-05-03'],
    ['en_au', 'https://paper.example/', '2031-05-03'],
    ['fr', 'https://paper.example/', '2031-05-03'],
  ])('of numbers is read as the readers of "%s" at %s do', (lang, address, iso) => {
    const html = `<html lang="${lang}"><h1>Pier</h1><p>03/05/2031</p><p>Text.</p></html>`;
    const bytes = new TextEncoder().encode(html);
    expect(readHtml({ bytes, contentType: '', url: address }).published_at).toBe(iso);
  });

  it('is in the line that names the author', () => {
    const line =
      '<p>by <a href="/by/ana">Ana</a> · March 5, 2031 at 3:00 am · One comment so far, thank you</p>';
    expect(read('', `<h1>Pier</h1>${line}<p>Out on April 6, 2031</p>`).published_at).toBe('2031-03-05');
  });

  it('is beside the heading though in no paragraph', () => {
    const body = '<div><h1>Pier</h1><span>March 5, 2031 ・ 3 min read</span><p>Text.</p></div>';
    expect(read('', body).published_at).toBe('2031-03-05');
  });

  it('of a template gives way to the one that readers see', () => {
    const template =
      '<script type="application/ld+json">{"@type":"Article","datePublished":"Jun 12, 2031"}</script>';
    expect(read(template, '<h1>Pier</h1><p>March 5, 2031</p>').published_at).toBe('2031-03-05');
    expect(read(template, '<h1>Pier</h1>').published_at).toBe('2031-06-12');
  });

  it('is that of the last change where nothing else is known, after the address', () => {
    const changed =
      '<script type="application/ld+json">{"@type":"Article","dateModified":"2031-06-12"}</script>';
    expect(read(changed, '<h1>Pier</h1>').published_at).toBe('2031-06-12');
    expect(read(changed, '<h1>Pier</h1>', 'https://paper.example/2031/march/05/pier').published_at).toBe(
      '2031-03-05',
    );
  });

  it('is that of a shown change, where an article shows nothing else', () => {
    const article = '<meta property="og:type" content="article">';
    const body = '<h1>Pier</h1><p>Updated March 5, 2031</p><p>Text.</p>';
    expect(read(article, body).published_at).toBe('2031-03-05');
    expect(read(article, `${body}<p>Published April 6, 2030</p>`).published_at).toBe('2030-04-06');
  });

  it.each([
    ['2031-03-06T02:41:41Z', '/2031/03/05/', '2031-03-05'],
    ['2031-03-06T02:41:41+00:00', '/2031/03/05/', '2031-03-05'],
    ['2031-03-05T22:41:41Z', '/2031/03/05/', '2031-03-05T22:41:41Z'],
    ['2031-03-06T02:41:41+02:00', '/2031/03/05/', '2031-03-06T02:41:41+02:00'],
    ['2031-03-07T02:41:41Z', '/2031/03/05/', '2031-03-07T02:41:41Z'],
  ])('of %s at %s is the day of the place, if UTC had another', (time, path, iso) => {
    const head = `<meta property="article:published_time" content="${time}">`;
    expect(read(head, '<h1>Pier</h1>', `https://paper.example${path}pier`).published_at).toBe(iso);
  });

  it.each(['2031 Mar 5', '2031-Mar-05', '2031 March 5'])('of a paper is read: %s', (day) => {
    expect(read(`<meta name="citation_publication_date" content="${day}">`).published_at).toBe('2031-03-05');
  });

  it('is not that of one of many posts', () => {
    const posts = '{"@type":"BlogPosting","datePublished":"2031-03-05"}';
    const head = `<script type="application/ld+json">{"@type":"Blog","blogPost":[${posts},${posts}]}</script>`;
    expect(read(head, '<h1>Pier</h1>').published_at).toBeNull();
  });
});

describe('a byline', () => {
  it.each([
    ['By Ana Ruiz', 'Ana Ruiz'],
    ['Written by: Ana Ruiz', 'Ana Ruiz'],
    ['Von Jana Krüger', 'Jana Krüger'],
    ['by Ana Ruiz | Harbour Paper', 'Ana Ruiz'],
    ['Ana Ruiz, Senior Reporter', 'Ana Ruiz'],
    ['Ana Ruiz on 5 March 2031', 'Ana Ruiz'],
    ['Ana Ruiz, 5 March', 'Ana Ruiz'],
    ['Ana Ruiz ana@paper.example', 'Ana Ruiz'],
    ['admin', null],
    ['https://paper.example/ana', null],
    ['This post was written by Ana Ruiz', 'Ana Ruiz'],
    ['Ana Ruiz ●', 'Ana Ruiz'],
    ['5 minutes', null],
    ['Dec', null],
    ['clicking you agree to our terms', null],
    ['', null],
  ])('is names alone: %s', (text, name) => {
    expect(names(text)).toBe(name);
  });

  it('is not the site, nor an organisation', () => {
    const site = '<meta property="og:site_name" content="Harbour Paper">';
    expect(read(`${site}<meta name="author" content="Harbour Paper">`).byline).toBeNull();
    const ld = { '@type': 'Article', author: { '@type': 'Organization', name: 'Harbour Works' } };
    expect(read(`<script type="application/ld+json">${JSON.stringify(ld)}</script>`).byline).toBeNull();
  });

  it('is all who wrote a paper, and who asked a question', () => {
    const each = ['Ana Ruiz', 'Bo Chen'].map((name) => `<meta name="citation_author" content="${name}">`);
    expect(read(each.join('')).byline).toBe('Ana Ruiz, Bo Chen');
    const asked = { '@type': 'QAPage', mainEntity: { '@type': 'Question', author: { name: 'mira' } } };
    expect(read(`<script type="application/ld+json">${JSON.stringify(asked)}</script>`).byline).toBe('mira');
    const marked = '<div itemprop="author"><meta itemprop="name" content="tomas"></div>';
    expect(read('', `<h1>Pier</h1>${marked}`).byline).toBe('tomas');
  });

  it.each([
    ['after a line that only announces it', '<div><p>Written by</p><p>Ana Ruiz</p></div>'],
    [
      'in a box with the date',
      '<div class="date-and-author"><span>5 March 2031</span><span>Ana Ruiz</span></div>',
    ],
    [
      'in a page that is called by its sidebar',
      `<div class="content with sidebar"><p>${'The pier was rebuilt, said the board. '.repeat(9)}</p><span class="author"><a href="/a">Ana Ruiz</a></span></div>`,
    ],
  ])('stands %s', (_, body) => {
    expect(read('', `<h1>Pier</h1>${body}`).byline).toBe('Ana Ruiz');
  });

  it('is not whoever a sidebar or a line in the text names', () => {
    const text = `<p>${'The pier was rebuilt, said the board. '.repeat(9)}</p>`;
    expect(
      read('', `<h1>Pier</h1>${text}<div class="sidebar"><p class="author">Bo Chen</p></div>`).byline,
    ).toBeNull();
    expect(read('', `<h1>Pier</h1>${text}<p>Built by</p><p>Bo Chen</p>`).byline).toBeNull();
  });

  it('of a thread is who posted first, also where only its data name them', () => {
    const post = (name: string, marked = true) =>
      `<div class="message"><div${marked ? ' itemprop="author"' : ''}><span class="${marked ? 'x' : 'username'}" itemprop="name">${name}</span></div><p>The rings hold, I think, but the ladder is gone, and so is the rope.</p></div>`;
    const board = (posts: string) =>
      read(
        '<meta name="generator" content="XenForo">',
        `<h1>Rings</h1>${posts}`,
        'https://sea.example/threads/rings.1/',
      ).byline;
    expect(board(post('mira', false) + post('tomas') + post('ana'))).toBe('mira');
    const data = '<div hidden><div itemprop="author"><span itemprop="name">mira</span></div></div>';
    expect(board(data + post('tomas') + post('ana'))).toBe('mira');
  });

  it('is not who wrote a comment', () => {
    const comments = '<div class="comments"><span class="author">Troll</span><p>No.</p></div>';
    expect(read('', `<h1>Pier</h1><p>Text.</p>${comments}`).byline).toBeNull();
  });
});

describe('a language', () => {
  it.each([
    ['<html lang="pt_br">', 'pt-BR'],
    ['<html xml:lang="en">', 'en'],
    ['<meta http-equiv="content-language" content="sv">', 'sv'],
    ['<meta property="og:locale" content="nb_NO">', 'nb-NO'],
    ['<p>港は月曜日に東の桟橋を建て直すことを決めた。</p>', 'ja'],
    ['<p>港口管理委员会周一同意重建东码头。</p>', 'zh'],
    ['<p>Порт решил перестроить восточный пирс.</p>', 'ru'],
    ['<p>Pier.</p>', null],
  ])('of %s', (html, lang) => {
    expect(readHtml({ bytes: new TextEncoder().encode(html), contentType: '', url: '' }).lang).toBe(lang);
  });
});

describe('embedded metadata', () => {
  it('is found however it is wrapped, and survives what sites do to it', () => {
    expect(
      ldNodes(['<!-- [{"@graph":[{"@type":"Article"}]}] -->', '{"a":"line\nend",}', 'nonsense']),
    ).toHaveLength(3);
  });

  it('is one line of text', () => {
    expect(tidy(' A &amp; <b>B</b>\n &#8217;&#x41;&nbsp;&#0; &bogus; ')).toBe('A & B ’A &bogus;');
  });
});
