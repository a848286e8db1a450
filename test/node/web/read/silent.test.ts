import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { paragraphs } from '../../../support/made-pages.ts';

const read = (body: string) =>
  readHtml({
    bytes: new TextEncoder().encode(
      `<!doctype html><html lang="en"><head><title>Lamps</title></head><body><main><h1>Lamps of the bay</h1>${paragraphs('lamps', 6)}${body}</main></body></html>`,
    ),
    contentType: 'text/html',
    url: 'https://harbour.example/lamps',
  }).clean_text;
const said = 'PARTWORD says that the lamps of the bay burn for two nights, whatever the wind does.';

describe('what is hidden from listeners alone', () => {
  it.each([
    [
      'a slide',
      `<ul class="carousel"><li><p>First of all, the lamps stand on the pier.</p></li><li aria-hidden="true"><p>${said}</p></li></ul>`,
    ],
    [
      'a slide of a slider around it',
      `<div class="lamp-slider"><div><div><div aria-hidden="false">One</div><div aria-hidden="true"><p>${said}</p></div></div></div></div>`,
    ],
    [
      'the inside of what opens by itself',
      `<details><summary>More of it</summary><div aria-hidden="true"><p>${said}</p></div></details>`,
    ],
    [
      'all that a panel says which a button opens',
      `<h3><button aria-expanded="false" aria-controls="p1">More of it</button></h3><div id="p1"><div aria-hidden="true"><p>${said}</p></div></div>`,
    ],
  ])('is read if it is %s', (_, body) => {
    expect(read(body)).toContain('PARTWORD');
  });

  it.each([
    ['stands alone', `<p aria-hidden="true">${said}</p>`],
    [
      'is the copy of a slide',
      `<ul class="slick"><li>One</li><li class="slick-cloned" aria-hidden="true"><p>${said}</p></li></ul>`,
    ],
    [
      'is the only one in its carousel',
      `<div class="carousel"><div aria-hidden="true"><p>${said}</p></div></div>`,
    ],
    [
      'is a slide that is hidden in another way too',
      `<ul class="carousel"><li>One</li><li aria-hidden="true" style="display:none"><p>${said}</p></li></ul>`,
    ],
    [
      'stands in a list that is no carousel',
      `<ul><li>One</li><li aria-hidden="true"><p>${said}</p></li></ul>`,
    ],
    [
      'is one of more slides than anyone goes through',
      `<ul class="carousel">${'<li>One</li>'.repeat(100)}<li aria-hidden="true"><p>${said}</p></li></ul>`,
    ],
    [
      'is a part of what a button opens',
      `<h3><button aria-controls="p1">More of it</button></h3><div id="p1"><p>What it says to all.</p><div aria-hidden="true"><p>${said}</p></div></div>`,
    ],
    [
      'stands in a panel that nothing opens',
      `<div id="p1"><div aria-hidden="true"><p>${said}</p></div></div>`,
    ],
  ])('stays out if it %s', (_, body) => {
    expect(read(body)).not.toContain('PARTWORD');
  });

  it('is read if it is a price', () => {
    const price = '<span class="sr-only">Price: 45 euros</span><span aria-hidden="true">€45</span>';
    expect(read(`<div>Storm lamp of the bay</div><div>${price}</div>`)).toContain('€45');
  });

  it('stays out if the price stands beside it', () => {
    const text = read(
      '<div>Storm lamp of the bay</div><p><span>€ 45</span> <span aria-hidden="true">€45</span></p>',
    );
    expect(text).toContain('€ 45');
    expect(text).not.toContain('€45');
  });

  it('stays out if it is short and no price', () => {
    expect(read('<p><span aria-hidden="true">ORDER 45</span></p>')).not.toContain('ORDER');
  });
});
