import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';

const say = (subject: string, times = 3): string =>
  Array.from(
    { length: times },
    (_, i) =>
      `<p>${subject} number ${i + 1} holds under load, and it neither slips nor jams, as sailors say.</p>`,
  ).join('');
const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Knots</title>${head}</head><body>${body}</body></html>`;
const read = (html: string, url = 'https://knots.example/a', contentType = 'text/html') =>
  readHtml({ bytes: new TextEncoder().encode(html), contentType, url });
const text = (body: string) => read(page(body)).clean_text;

describe('a name says what a thing is by its last word', () => {
  it.each([
    'no-ads',
    'has-nav',
    'has-drawer',
    'share-price-table',
    'login-guide',
    'subscription-plans',
    'contact-details',
    'rating-table',
    'copyright-law',
    'meta-analysis',
    'with-sidebar',
    'cookie-recipe',
    'menu-prices',
    'footer-policy',
    'newsletter-statistics',
    'social-report',
    'comments-analysis',
    'related-laws',
    'popular-dishes',
    'print-history',
  ])('%s is kept', (name) => {
    const html = `<article><h1>Knots</h1>${say('The first')}<div class="${name}">${say('The second', 2)}</div>${say('The third')}</article>`;
    expect(text(html)).toContain('The second number 2');
  });

  it.each([
    'sidebar-ads',
    'main-nav',
    'share-buttons',
    'login-form',
    'newsletter-signup',
    'cookie-banner',
    'site-footer',
    'related-posts',
    'mobile-menu',
    'author-details',
  ])('%s is left out', (name) => {
    const links = '<a href="/x">Some other page of this site</a> '.repeat(4);
    const html = `<article><h1>Knots</h1>${say('The first', 6)}<div class="${name}"><p>${links}</p></div></article>`;
    expect(text(html)).not.toContain('other page');
  });

  it('a menu of dishes is no menu of the site', () => {
    const dishes = Array.from(
      { length: 9 },
      (_, i) => `<li>Fish stew of the day ${i}, with bread — ${i + 5} €</li>`,
    );
    expect(text(`<h1>Pier Inn</h1><div class="menu"><ul>${dishes.join('')}</ul></div>`)).toContain(
      'of the day 8',
    );
    const links = Array.from({ length: 30 }, (_, i) => `<li><a href="/${i}">Section ${i}</a></li>`);
    expect(
      text(`<div class="menu"><ul>${links.join('')}</ul></div><h1>Pier Inn</h1>${say('Our stew', 5)}`),
    ).not.toContain('Section 8');
  });
});

describe('no stage loses a page in silence', () => {
  it('a page whose parts all have names of the frame comes whole, and says so', () => {
    const parts = ['promo', 'related', 'popular', 'banner-ad', 'cta'].map(
      (name) => `<div class="${name}">${say(`The ${name}`, 2)}</div>`,
    );
    const { clean_text, reading } = read(
      page(
        `<h1>Knots</h1>${parts.join('')}`,
        '<meta property="article:published_time" content="2026-02-03">',
      ),
    );
    for (const name of ['promo', 'related', 'popular', 'cta'])
      expect(clean_text).toContain(`The ${name} number 2`);
    expect(reading).toBe('whole page');
  });

  it('a page that loses only its frame does not', () => {
    const comments = `<div class="comments">${say('A reader’s knot', 40)}</div>`;
    const { clean_text, reading } = read(
      page(`<article><h1>Knots</h1>${say('The knot', 6)}</article>${comments}`),
    );
    expect(reading).toBe('main');
    expect(clean_text).not.toContain('reader');
  });

  it('what the owner asks for whole comes with menus and footers', () => {
    const html = page(
      `<nav><a href="/">Start here</a></nav><article>${say('The knot', 6)}</article><footer>Pier 3</footer>`,
    );
    const source = {
      bytes: new TextEncoder().encode(html),
      contentType: 'text/html',
      url: 'https://knots.example/',
    };
    expect(readHtml(source, { whole: true })).toMatchObject({
      clean_text: expect.stringMatching(/Start here[\s\S]*The knot[\s\S]*Pier 3/),
      reading: 'whole page',
    });
  });

  it.each([
    [
      'a page inside one form',
      `<form action="/x"><h1>Knots</h1><p>A short page of words only</p><ul><li>Bowline</li><li>Sheet bend</li></ul></form>`,
      'Sheet bend',
    ],
    [
      'a question before long answers',
      `<h1>Does a bowline slip?</h1><div class="q">${say('My question', 2)}</div><div class="answers">${say('An answer', 20)}</div>`,
      'My question number 1',
    ],
    [
      'an introduction outside the largest part',
      `<main><h1>Knots</h1><div>${say('The introduction', 6)}</div><div>${say('The chapter', 40)}</div></main>`,
      'The introduction number 1',
    ],
    [
      'a heading that begins like a request',
      `<article><h1>Knots</h1>${say('The knot', 3)}<h2>Sign up for the newsletter: how the API works</h2>${say('The call', 3)}</article>`,
      'how the API works',
    ],
    [
      'a panel that a button opens',
      `<h1>Knots</h1>${say('The knot', 4)}<button aria-controls="p1">Care of ropes</button><div id="p1" hidden>${say('The rope', 2)}</div>`,
      'The rope number 1',
    ],
    [
      'an inactive tab',
      `<h1>Knots</h1>${say('The knot', 4)}<a href="#t2">Uses of it</a><div id="t2" role="tabpanel" style="display: none">${say('The use', 2)}</div>`,
      'The use number 1',
    ],
    [
      'an inactive tab that names what opens it',
      `<h1>Knots</h1>${say('The knot', 4)}<span role="tab" id="tab C#">Uses</span><div role="tabpanel" aria-labelledby="tab C#" hidden style="display:none">${say('The use', 2)}</div>`,
      'The use number 1',
    ],
    [
      'an answer that opens',
      `<h1>Knots</h1>${say('The knot', 4)}<h3><a data-bs-target="#a1">Does it slip?</a></h3><div id="a1" class="collapse" aria-hidden="true">${say('The answer', 2)}</div>`,
      'The answer number 1',
    ],
    [
      'an answer below a line that the page calls a question',
      `<h1>Knots</h1>${say('The knot', 4)}<div class="faq__question">Does it slip?</div><div class="faq__answer" style="display: none">${say('The answer', 2)}</div>`,
      'The answer number 1',
    ],
    [
      'what the button before it opens',
      `<h1>Knots</h1>${say('The knot', 4)}<h3><button aria-expanded="false"><span>Care</span> of ropes</button></h3><div hidden aria-hidden="true">${say('The rope', 2)}</div>`,
      'The rope number 1',
    ],
    [
      'what opens by itself',
      `<h1>Knots</h1>${say('The knot', 4)}<details><summary>More of it</summary>${say('The detail', 2)}</details>`,
      'The detail number 1',
    ],
    [
      'a warning beside the text',
      `<article><h1>Knots</h1>${say('The knot', 6)}<aside class="warning">${say('The danger', 1)}</aside></article>`,
      'The danger number 1',
    ],
  ])('%s is kept', (_, body, kept) => {
    expect(text(body)).toContain(kept);
  });

  it.each([
    ['nothing opens', '<div id="p1" hidden>ORDER</div>'],
    [
      'a button that says nothing seems to open',
      '<button aria-controls="p1"></button><div id="p1" hidden>ORDER</div>',
    ],
    [
      'something opens, but that is hidden in another way',
      '<button aria-controls="p1">Open it</button><div id="p1" style="position:absolute;left:-9999px">ORDER</div>',
    ],
    [
      'stands below a line that is called no question',
      '<div class="note">Of knots</div><div class="answer" style="display:none">ORDER</div>',
    ],
    [
      'stands below a hidden question',
      '<div class="question" style="display:none">Of knots</div><div class="answer" style="display:none">ORDER</div>',
    ],
    [
      'is an answer, but hidden in another way',
      '<div class="question">Of knots</div><div class="answer" style="position:absolute;left:-9999px">ORDER</div>',
    ],
    [
      'only a hidden button opens',
      '<a href="#p1" style="display:none">Open it</a><div id="p1" hidden>ORDER</div>',
    ],
    [
      'stands below a hidden button',
      '<h3><button aria-expanded="false" style="display:none">Open it</button></h3><div hidden>ORDER</div>',
    ],
    [
      'stands below a button in a hidden line',
      '<style>.zq{display:none}</style><h3 class="zq"><button aria-expanded="false">Open it</button></h3><div hidden>ORDER</div>',
    ],
    [
      'stands below a button of another panel',
      '<button aria-expanded="false" aria-controls="p2">Open it</button><div hidden>ORDER</div>',
    ],
    ['stands below a button that opens nothing', '<button>Open it</button><div hidden>ORDER</div>'],
    [
      'stands below a line with more than a button',
      '<p>Of knots <button aria-expanded="false">Open it</button></p><div hidden>ORDER</div>',
    ],
    [
      'stands below a button, but is hidden in another way',
      '<button aria-expanded="false">Open it</button><div hidden style="font-size:0">ORDER</div>',
    ],
    [
      'names a tab that is hidden itself',
      '<span role="tab" id="t1" hidden>Uses</span><div role="tabpanel" aria-labelledby="t1" hidden>ORDER</div>',
    ],
    [
      'names what is no tab',
      '<span id="t1">Uses</span><div role="tabpanel" aria-labelledby="t1" hidden>ORDER</div>',
    ],
    [
      'is no panel, and names a tab',
      '<span role="tab" id="t1">Uses</span><div aria-labelledby="t1" hidden>ORDER</div>',
    ],
    [
      'something opens, but that has no size of type',
      '<button aria-controls="p1">Open it</button><div id="p1" style="display:none;font-size:0">ORDER</div>',
    ],
  ])('a hidden element that %s stays hidden', (_, body) => {
    expect(text(`<h1>Knots</h1>${say('The knot', 6)}${body}`)).not.toContain('ORDER');
  });

  it('a script that ends in its own tag, as in XHTML, takes nothing with it', () => {
    const body = `<script src="a.js"/><h1>Knots</h1>${say('The knot', 4)}<script>x()</script>`;
    const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Knots</title></head><body>${body}</body></html>`;
    expect(read(xhtml, undefined, 'application/xhtml+xml').clean_text).toContain('The knot number 4');
  });
});
