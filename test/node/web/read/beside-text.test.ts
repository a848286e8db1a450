import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { paragraphs } from '../../../support/made-pages.ts';

const read = (body: string, path = '/lamps', head = '') =>
  readHtml({
    bytes: new TextEncoder().encode(
      `<!doctype html><html lang="en"><head><title>Lamps</title>${head}</head><body>${body}</body></html>`,
    ),
    contentType: 'text/html',
    url: `https://harbour.example${path}`,
  });
const text = (inside: string) =>
  read(`<main><h1>Lamps</h1>${paragraphs('lamps', 6)}${inside}</main>`).clean_text;
const said = 'PARTWORD says that the lamps of the bay burn for two nights, whatever the wind does.';

describe('boxes with the name of a call', () => {
  const boxes = (count: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        `<div class="cta-banner"><h2>Offer ${i} of the spring</h2><p>PARTWORD ${i}: a lamp for the pier is ten euros less until the end of May.</p><a href="/o${i}">Take it</a></div>`,
    ).join('');

  it('are the text if the page consists of them', () => {
    expect(text(boxes(12))).toContain('PARTWORD 11');
  });

  it('go if the page has enough text beside them', () => {
    expect(text(boxes(1))).not.toContain('PARTWORD');
  });

  it('go if they have no headings', () => {
    expect(text(boxes(12).replace(/<h2>.*?<\/h2>/g, ''))).not.toContain('PARTWORD');
  });

  it('go if they are mostly links', () => {
    const linked = boxes(12).replace(/<p>(.*?)<\/p>/g, '<p>Here: <a href="/x">$1</a></p>');
    expect(text(linked)).not.toContain('PARTWORD');
  });
});

describe('an alert', () => {
  it('of a few sentences without links is a note', () => {
    expect(text(`<div role="alert"><p>${said}</p></div>`)).toContain('PARTWORD');
  });

  it.each([
    ['is short', '<p>PARTWORD: there was a problem, so reload the page to go on.</p>'],
    ['leads on', `<p>${said} <a href="/more">More about it</a></p>`],
  ])('that %s is left out', (_, inside) => {
    expect(text(`<div role="alert">${inside}</div>`)).not.toContain('PARTWORD');
  });
});

describe('the foot', () => {
  it.each(['card-footer', 'CustomerCardFooter', 'quote__footer'])('of a card, %s, is read', (name) => {
    expect(
      text(`<div class="card"><h3>Keeper</h3><div class="${name}"><p>${said}</p></div></div>`),
    ).toContain('PARTWORD');
  });

  it.each(['page-footer', 'siteFooter', 'footer'])('of the page, %s, is left out', (name) => {
    expect(text(`<div class="${name}"><p>${said}</p></div>`)).not.toContain('PARTWORD');
  });

  it('of a card without sentences is left out', () => {
    expect(text('<div class="card-footer"><span>PARTWORD 12</span></div>')).not.toContain('PARTWORD');
  });
});

describe('an aside', () => {
  it('between paragraphs that says sentences is read', () => {
    expect(text(`<aside><p>${said}</p></aside>`)).toContain('PARTWORD');
  });

  it.each([
    ['stands beside all of the text', `</main><aside><p>${said}</p></aside><main>`],
    ['links elsewhere', `<aside><p>${said} <a href="/more">More about the lamps</a></p></aside>`],
    ['repeats a sentence', `<aside class="quote"><p>${said}</p></aside>`],
    ['is called a sidebar', `<aside class="sidebar"><p>${said}</p></aside>`],
    ['lists things', '<aside><ul><li>PARTWORD</li><li>Tin</li><li>Brass</li></ul></aside>'],
  ])('that %s is left out', (_, inside) => {
    const html = `<main><h1>Lamps</h1><div>${paragraphs('lamps', 6)}</div></main>`;
    const page = inside.startsWith('</main>') ? `${html}${inside.slice(7, -6)}` : undefined;
    expect(page ? read(page).clean_text : text(inside)).not.toContain('PARTWORD');
  });

  it('in a thread is read if it quotes another thread, and left out if it repeats a post of this one', () => {
    const post = (i: number, quote = '') =>
      `<div class="post"><p>Post ${i} says that brass holds for years, and that tin does not.</p>${quote}<p>So ${i} of us would take brass, and never look back.</p></div>`;
    const quotes = `<aside class="quote"><div class="title"><a href="/t/2">Oil of the bay</a></div><blockquote><p>${said}</p></blockquote></aside>`;
    const repeats =
      '<aside class="quote"><div class="title">keeper:</div><blockquote><p>brass holds REPEATWORD</p></blockquote></aside>';
    const posts = `${post(1)}${post(2, quotes)}${post(3, repeats)}${post(4)}`;
    const { clean_text, kind } = read(`<main><h1>Lamps</h1>${posts}</main>`, '/t/lamps/12');
    expect(kind).toBe('thread');
    expect(clean_text).toContain('PARTWORD');
    expect(clean_text).not.toContain('REPEATWORD');
  });
});

describe('a part that is called recommended', () => {
  const part = (inside: string) =>
    text(
      `<div class="needs"><div><h3>Minimum</h3><ul><li>Oil: 1 l</li></ul></div><div><h3>Recommended:</h3><ul>${inside}</ul></div></div>`,
    );

  it('is read if it leads nowhere', () => {
    expect(part('<li>Oil: 2 l PARTWORD</li><li>Wick: 8 mm</li>')).toContain('PARTWORD');
  });

  it('is left out if it leads to other things', () => {
    expect(part('<li><a href="/l/1">PARTWORD lamp of brass</a></li><li>€45</li>')).not.toContain('PARTWORD');
  });
});

describe('a question', () => {
  const answers = Array.from(
    { length: 4 },
    (_, i) =>
      `<div class="answer"><h1>Case ${i}</h1><p>Answer ${i} says to let it burn ${i} hours, as the keepers of the bay do.</p>${paragraphs('oil', 3)}</div>`,
  ).join('');
  const asked = (question: string) =>
    read(
      `<div id="top"><h1>How long does it burn?</h1></div><div id="bar"><div class="question">${question}</div><div class="answers">${answers}</div></div>`,
      '/questions/7',
    ).clean_text;

  it('stays above answers with headings of the first rank', () => {
    expect(
      asked(`<p>${said} I have read much about it, and still do not know how long it burns in the rain.</p>`),
    ).toContain('PARTWORD');
  });

  it('stays if it shows more of a program than it says', () => {
    const program = `<pre>${'lamp.burn({ nights: 2 });\n'.repeat(12)}</pre>`;
    expect(
      asked(
        `<div><p>${said} I have read much about it, and still do not know how long it burns.</p>${program}</div>`,
      ),
    ).toContain('PARTWORD');
  });
});

it('footnotes that only Markdown shows do not count as lost', () => {
  const notes = Array.from(
    { length: 30 },
    (_, i) =>
      `<li class="footnote" id="n${i}">NOTEWORD ${i}: as measured in the bay by two keepers, in calm weather and at night, with the oil of the year before.</li>`,
  ).join('');
  const page = read(
    `<main><article><h1>Lamps</h1><p>${said}</p><p>They hang from any hook that we sell, and need no care for years.</p></article><ol>${notes}</ol></main>`,
    '/lamps',
    '<meta property="article:published_time" content="2031-02-03">',
  );
  expect(page.reading).toBe('main');
  expect(page.clean_text).toContain('PARTWORD');
  expect(page.clean_text).not.toContain('NOTEWORD');
});

describe('the kind', () => {
  const comment = (i: number) =>
    `<div class="comment"><p>Comment ${i} says that brass holds for years, and that tin does not, as said.</p></div>`;
  const comments = (count: number) =>
    `<div id="comments">${Array.from({ length: count }, (_, i) => comment(i)).join('')}</div>`;
  const kindOf = (body: string, path: string, head: string) => read(body, path, head).kind;
  const article = '<meta property="og:type" content="article">';
  const dated = '<meta property="article:published_time" content="2031-02-03">';

  it('of comments on a title alone is a thread', () => {
    expect(kindOf(`<main><h1>Lamps</h1>${comments(3)}</main>`, '/s/lamps', article)).toBe('thread');
  });

  it.each([
    ['two comments', `<main><h1>Lamps</h1>${comments(2)}</main>`],
    ['a text above comments', `<main><h1>Lamps</h1>${paragraphs('lamps', 4)}${comments(9)}</main>`],
  ])('of %s is none', (_, body) => {
    expect(kindOf(body, '/s/lamps', article)).toBe('article');
  });

  it('of one thing in a shop is a product, though it is dated as a text', () => {
    const body = `<main><h1>Lamp</h1>${paragraphs('lamps', 4)}</main>`;
    expect(kindOf(body, '/product/lamp', `${article}${dated}`)).toBe('product');
    expect(kindOf(body, '/texts/lamp', `${article}${dated}`)).toBe('article');
    const text = '<script type="application/ld+json">{"@type":"NewsArticle","headline":"Lamp"}</script>';
    expect(kindOf(body, '/product/lamp', `${article}${dated}${text}`)).toBe('article');
  });
});
