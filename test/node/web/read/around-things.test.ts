import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { paragraphs } from '../../../support/made-pages.ts';

const SHOP = 'https://shop.example';
const read = (body: string, path: string, head = '') =>
  readHtml({
    bytes: new TextEncoder().encode(
      `<!doctype html><html lang="en"><head><title>Lanterns</title>${head}</head><body><h1>Lanterns</h1>${body}</body></html>`,
    ),
    contentType: 'text/html; charset=utf-8',
    url: `${SHOP}${path}`,
  });
const times = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

const card = (i: number, extra = '') =>
  `<li class="product"><h2><a href="/lantern-${i}">Lantern number ${i} of brass</a></h2><span class="price">€${i + 40}</span>${extra}</li>`;
const shelf = (extra = '') => `<ul class="products">${times(24, (i) => card(i, extra))}</ul>`;
const list = (besides: string) => read(`${besides}${shelf()}`, '/collections/lanterns').clean_text;
const product = (besides: string, path = '/products/lantern') =>
  read(`<p>€49</p>${besides}<div class="description">${paragraphs('the lantern', 4)}</div>`, path).clean_text;
const article = (besides: string) =>
  read(`<article>${paragraphs('lanterns', 6)}${besides}</article>`, '/2031/lanterns').clean_text;

describe('a shelf is read without the means to choose', () => {
  it.each([
    [
      'filters',
      `<div class="filters"><h3>Brand</h3><ul>${times(9, (i) => `<li>BRANDWORD ${i} <span>(${i})</span></li>`)}</ul></div>`,
    ],
    [
      'facets',
      `<section class="plp-facet-list"><div>Height</div>${times(9, (i) => `<div>BRANDWORD ${i} cm</div>`)}</section>`,
    ],
    [
      'fields that are no form',
      `<div role="listbox">${times(9, (i) => `<div role="option"><a href="/b/${i}">BRANDWORD ${i}</a> <span>${i}</span></div>`)}</div><a role="checkbox" href="/c">BRANDWORD</a>`,
    ],
    [
      'the order',
      '<div class="sort-by"><span>Sort</span><ul><li>BRANDWORD first</li><li>BRANDWORD last</li></ul></div>',
    ],
    [
      'buttons that name the thing',
      times(
        6,
        (i) =>
          `<button>Save this lantern: BRANDWORD number ${i}, the brass lantern of the eastern harbour</button>`,
      ),
    ],
    [
      'words to those who are no members',
      '<p>Not a member? Join today, BRANDWORD.</p><p>Register for free to see BRANDWORD prices</p>',
    ],
    [
      'names and addresses for programs',
      `<dl>${times(8, (i) => `<dt>cat_thumb_BRANDWORD ${i}:</dt><dd>https://cdn.example/BRANDWORD-${i}.jpg</dd>`)}</dl>`,
    ],
  ])('%s', (_, besides) => {
    const text = list(besides);
    expect(text).not.toContain('BRANDWORD');
    for (const i of [0, 12, 23]) expect(text).toContain(`Lantern number ${i} of brass`);
    expect(text).toContain('€63');
  });

  it.each([
    [
      'cards that bear the name of their filter',
      `<div>${times(12, (i) => `<div class="filter"><h2><a href="/${i}">KEPTWORD ${i}</a></h2><p>Brass</p></div>`)}</div>`,
    ],
    [
      'a text on filters',
      `<div class="filters"><p>A KEPTWORD filter of paper keeps soot from the glass, and the flame burns the clearer for it, as keepers say.</p></div>`,
    ],
    [
      'a list of names with numbers',
      `<ul>${times(9, (i) => `<li><a href="/${i}">KEPTWORD ${i}</a></li>`)}</ul>`,
    ],
    ['ratings', `<p>KEPTWORD: 132 reviews with an average rating of 4.6 out of 5 stars</p>`],
  ])('but with %s', (_, besides) => {
    expect(list(besides)).toContain('KEPTWORD');
  });
});

describe('a product is read without', () => {
  it.each([
    [
      'its price abroad',
      `<ul>${['AED', 'GBP', 'AUD', 'USD', 'CAD'].map((name, i) => `<li>${name}: ${i + 3}49.56</li>`).join('')}</ul>`,
      'AUD',
    ],
    [
      'variants',
      '<div class="color-swatches"><span>SIDEWORD red</span><span>SIDEWORD blue</span></div>',
      'SIDEWORD',
    ],
    ['payment in parts', '<p>or 4 interest-free payments of $12.25 with SIDEWORD</p>', 'SIDEWORD'],
    ['who else looks at it', '<p>16 people are viewing this right now</p>', 'viewing'],
    ['prices for members', '<p>Members save 20 % SIDEWORD</p>', 'SIDEWORD'],
    ['words on signing in', '<p>Sign in to add this SIDEWORD to your wish list</p>', 'SIDEWORD'],
    [
      'what buyers say of the seller',
      `<section><h2>Seller feedback (7,310)</h2>${times(5, (i) => `<div>SIDEWORD ${i}: fast, and well packed.</div>`)}</section>`,
      'SIDEWORD',
    ],
  ])('%s', (_, besides, word) => {
    const text = product(besides);
    expect(text).not.toContain(word);
    expect(text).toContain('€49');
    expect(text).toContain('note 8 says');
  });

  it.each([
    [
      'sizes in a table',
      '<table><tr><th>Size</th><th>Height</th></tr><tr><td>Small</td><td>21 cm KEPTWORD</td></tr></table>',
    ],
    [
      'the countries it goes to',
      `<ul>${['AED', 'GBP'].map((name) => `<li>KEPTWORD ${name}: 49.56</li>`).join('')}</ul>`,
    ],
    [
      'measures',
      '<ul><li>Height: 31 cm</li><li>Width: 12 cm</li><li>Depth: 12 cm</li><li>KEPTWORD: 900 g</li></ul>',
    ],
  ])('but with %s', (_, besides) => {
    expect(product(besides)).toContain('KEPTWORD');
  });

  it('is one at its address, however long its description is', () => {
    const { kind, clean_text } = read(
      `<div class="buy"><p>€49, in two sizes</p></div><div id="tabs"><div>${paragraphs('the lantern', 20)}</div></div>`,
      '/product/lantern',
    );
    expect(kind).toBe('product');
    expect(clean_text).toMatch(/^Lanterns\n+€49, in two sizes\n/);
  });
});

describe('other kinds of pages keep such lines', () => {
  it.each([
    '<h2>Sign in to your account</h2><p>The page of your lamps opens, and you see each of them, lit or not, by name.</p>',
    '<p>Members save 20 % in the shop of the lamp society, which is why so many keepers join it in spring.</p>',
  ])('%s', (body) => {
    const { kind, clean_text } = read(`${paragraphs('lamps', 4)}${body}`, '/docs/lamps');
    expect(kind).toBe('docs');
    expect(clean_text).toContain(/>([^<]{12,})</.exec(body)?.[1] ?? 'none');
  });
});

describe('a short article is read without the posts below it', () => {
  const own =
    '<h1>The pier opens</h1><p>OWNWORD: The pier opens on Monday at noon, and the harbour band plays, whatever the wind.</p>';
  const next = (heading: string) =>
    times(3, (i) => `<REST>${heading.replace('#', String(i))}${paragraphs(`OTHERWORD ${i}`, 3)}</REST>`);
  const page = (body: string) => {
    const head =
      '<script type="application/ld+json">{"@type":"NewsArticle","headline":"The pier opens"}</script>';
    const html = `<html><head><title>The pier opens</title>${head}</head><body>${body}</body></html>`;
    return readHtml({
      bytes: new TextEncoder().encode(html),
      contentType: 'text/html',
      url: `${SHOP}/2031/pier`,
    }).clean_text;
  };

  it.each([
    [
      'articles with linked titles',
      `<main><article>${own}</article>${next('<h2><a href="/p/#">Next #</a></h2>').replaceAll('REST', 'article')}</main>`,
    ],
    [
      'articles with main headings',
      `<main><article class="first">${own}</article>${next('<h1>Next #</h1>').replaceAll('REST', 'article')}</main>`,
    ],
    [
      'parts of the same name',
      `<div class="post">${own}</div>${next('<h2><a href="/p/#">Next #</a></h2>').replaceAll('<REST>', '<div class="post">').replaceAll('</REST>', '</div>')}`,
    ],
  ])('%s', (_, body) => {
    expect(page(body)).toContain('OWNWORD');
    expect(page(body)).not.toContain('OTHERWORD');
  });

  it.each([
    [
      'sections whose headings link',
      `<article>${own}${times(3, (i) => `<h2><a href="/p/${i}">Pier ${i}</a></h2>${paragraphs(`OTHERWORD ${i}`, 2)}`)}</article>`,
    ],
    [
      'parts whose headings do not',
      `<div class="part">${own}</div>${times(3, (i) => `<div class="part"><h2>Pier ${i}</h2>${paragraphs(`OTHERWORD ${i}`, 2)}</div>`)}`,
    ],
  ])('but with %s', (_, body) => {
    for (const i of [0, 2]) expect(page(body)).toContain(`OTHERWORD ${i}`);
  });
});

describe('a mark that the site should have replaced', () => {
  it('is left out, and the text around and inside it stays', () => {
    const text = article(
      '<p>[vc_row full_width="stretch"][vc_column]The KEPTWORD light.[/vc_column][/vc_row]</p><p>[gallery ids="1,2"] [caption id=3]It burns by night, said the keeper, and by day.[/caption]</p>',
    );
    expect(text).toContain('The KEPTWORD light.');
    expect(text).toContain('It burns by night, said the keeper, and by day.');
    expect(text).not.toMatch(/vc_|gallery|caption|\[/);
  });

  it.each([
    'It was [sic] lit, as the keeper says.',
    'Lit in 1881 [1], and again later [citation needed].',
    'Write [b]bold[/b], if you like it, in the log.',
  ])('is none in %j', (said) => expect(article(`<p>${said}</p>`)).toContain(said));

  it('is none in code', () => {
    expect(article('<pre>[gallery ids="1,2"]\n[/gallery]</pre>')).toContain('[gallery ids="1,2"]');
  });
});

describe('a line of an article', () => {
  it('that links to an offer stays, if it names the price', () => {
    expect(article('<p><a href="https://shop.example/1">Get the brass lantern for $39.99</a></p>')).toContain(
      '$39.99',
    );
    expect(
      article('<p><a href="https://shop.example/1">Get the brass lantern in the shop</a></p>'),
    ).not.toContain('Get the');
  });

  it('is read without what opens when a pointer stands on a name', () => {
    const card =
      '<span class="rollover-people-block"><span>Ana Ruiz</span> <a href="/1">CARDWORD: all on lamps</a></span>';
    const text = article(
      `<p>The keeper <span><a href="/ana">Ana Ruiz</a>${card}</span> lit the lamp, and it burned all night.</p>`,
    );
    expect(text).toMatch(/The keeper Ana Ruiz lit the lamp, and it burned all night\./);
  });
});

describe('a shelf has less running text than what stands around it', () => {
  const said = (word: string) => paragraphs(word, 2);
  it.each([
    [
      'a notice about cookies',
      `<section class="shop-modal-wrapper"><h2>Your choice</h2>${said('the BESIDEWORD cookie')}</section>`,
    ],
    ['a sidebar of opinions', `<div id="sidebar">${said('the BESIDEWORD buyer')}</div>`],
  ])('and is read without %s', (_, besides) => {
    const text = read(
      `<p>${'The keeper sets each lamp by hand, as the guild asks of him.'}</p>${shelf()}${besides}`,
      '/collections/lanterns',
    ).clean_text;
    expect(text).not.toContain('BESIDEWORD');
    expect(text).toContain('Lantern number 23 of brass');
  });

  it.each(['more-ads', 'sidebar-history', 'modal-verbs-guide'])(
    'and is read with its entries under the name %s',
    (name) => {
      const news = times(
        9,
        (i) =>
          `<article><h3><a href="/${i}">News number ${i}</a></h3><p>The keeper of light ${i} says that the oil will last until the spring, and no longer.</p></article>`,
      );
      const text = read(
        `<p>All of it.</p><ul>${times(9, (i) => `<li><a href="/t/${i}">Topic number ${i} of the harbour</a></li>`)}</ul><div class="${name}">${news}</div>`,
        '/news',
      ).clean_text;
      expect(text).toContain('The keeper of light 8 says');
    },
  );
});
