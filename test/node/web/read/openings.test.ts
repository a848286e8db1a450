import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { paragraphs } from '../../../support/made-pages.ts';

const read = (body: string, path: string) =>
  readHtml({
    bytes: new TextEncoder().encode(
      `<!doctype html><html lang="en"><head><title>Lamps</title></head><body>${body}</body></html>`,
    ),
    contentType: 'text/html',
    url: `https://harbour.example${path}`,
  });
const times = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

describe('a header', () => {
  const menu = times(200, (i) => `<li><a href="/${i}">MENUWORD number ${i} of the shop</a></li>`);
  const promise =
    '<p>Lamps that last, made by keepers for keepers, since the first light was lit in the bay.</p>'.repeat(
      3,
    );

  it('of links is left out, though it makes promises', () => {
    const entries = times(
      12,
      (i) =>
        `<li><a href="/l/${i}">Lamp number ${i} of the east</a><p>It burns for ${i} hours and more, as the keepers of the bay have found.</p></li>`,
    );
    const text = read(
      `<header><ul>${menu}</ul>${promise}</header><ul>${entries}</ul>`,
      '/collections/lamps',
    ).clean_text;
    expect(text).not.toContain('MENUWORD');
    expect(text).toContain('Lamp number 11 of the east');
  });

  it('with an introduction and a few links stays', () => {
    const links = times(5, (i) => `<li><a href="/${i}">KEPTWORD number ${i} of the text</a></li>`);
    const text = read(
      `<main><header><ul>${links}</ul>${promise}</header>${paragraphs('lamps', 6)}</main>`,
      '/lamps',
    ).clean_text;
    expect(text).toContain('Lamps that last');
  });
});

describe('what is called a request to the reader', () => {
  const lamps = (inside: string) =>
    read(`<main><section class="home-cta">${inside}</section>${paragraphs('lamps', 6)}</main>`, '/lamps')
      .clean_text;

  it('stays if the page’s title stands in it', () => {
    expect(
      lamps('<h1>All lamps</h1><p>KEPTWORD lamps from the keepers of the bay, for every pier.</p>'),
    ).toContain('KEPTWORD');
  });

  it('goes without one', () => {
    expect(
      lamps('<h2>All lamps</h2><p>BESIDEWORD lamps from the keepers of the bay, for every pier.</p>'),
    ).not.toContain('BESIDEWORD');
  });
});
