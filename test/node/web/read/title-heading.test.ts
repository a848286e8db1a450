import { describe, expect, it } from 'vitest';
import { insteadOfHeading, withoutCalls } from '../../../../src/web/read/meta/heading.ts';
import { ofItself } from '../../../../src/web/read/meta/site-name.ts';
import type { Kind } from '../../../../src/web/read/page-kind.ts';
import { readHtml } from '../../../../src/web/read/read.ts';

const AT = 'https://oak.example/benches';

describe('a heading that calls on the reader', () => {
  it.each([
    ['Explore our oak benches', ['Oak benches'], false],
    ['shop oak benches', ['Oak benches', 'Benches'], false],
    ['Discover the harbour by boat', ['Discover the harbour by boat'], true],
    ['Explore our oak benches', ['Oak benches', 'Explore oak'], true],
    ['Shopping for oak', ['Oak benches'], true],
    ['How to explore a harbour', ['Harbours'], true],
  ])('“%s” beside %j stays: %s', (heading, sayings, stays) => {
    expect(withoutCalls([heading, 'Benches'], sayings)).toEqual(stays ? [heading, 'Benches'] : ['Benches']);
  });
});

describe('the metadata name a page instead of its only heading', () => {
  const named = (kind: Kind, heading: string, saying: string, url = AT) =>
    insteadOfHeading([heading], [saying], kind, url);

  it.each<[Kind, string, string, string]>([
    ['product', 'Tarred® Rope 12', 'Tarred Rope 12 - strong | cheap', 'Tarred Rope 12'],
    ['product', 'Bench 5001', 'Bench - 5001', 'Bench - 5001'],
    ['list', 'Full time caulking jobs', 'Full-time caulking jobs', 'Full-time caulking jobs'],
    ['thread', 'News Is tar cheap?', 'News - Is tar cheap?', 'News - Is tar cheap?'],
  ])('where it has other marks, on a %s: “%s” and “%s”', (kind, heading, saying, title) => {
    expect(named(kind, heading, saying)).toBe(title);
  });

  it.each<[Kind, string, string]>([
    ['article', 'Tides: the whole guide', 'Tides - the whole guide'],
    ['docs', 'array_map', 'array map'],
    ['product', 'Oak Bench', 'OAK BENCH'],
    ['product', '®', '™'],
  ])('but not on a %s of “%s”, which “%s” writes otherwise', (kind, heading, saying) => {
    expect(named(kind, heading, saying)).toBeUndefined();
  });

  it.each<[Kind, string, string, string | undefined]>([
    ['article', 'Reviews', 'Reviews of our sailing courses | Oak', 'Reviews of our sailing courses'],
    ['article', 'Reviews', 'Reviews sailing', undefined],
    ['article', 'Reviews', 'Reviews | of our sailing courses', undefined],
    ['article', 'Reviews', 'Reviewsof our sailing courses', undefined],
    ['article', 'Sailing reviews', 'Sailing reviews of our best courses', undefined],
    ['list', 'Reviews', 'Reviews of our sailing courses', undefined],
  ])('where it is one word, on a %s: “%s” and “%s”', (kind, heading, saying, title) => {
    expect(named(kind, heading, saying)).toBe(title);
  });

  it.each<[string, string, string, string | undefined]>([
    ['The best you can sit on', 'Benches - Oak', AT, 'Benches'],
    ['The best you can sit on', 'Oak benches - Oak', 'https://oak.example/b/oak-benches.html', 'Oak benches'],
    ['The best benches', 'Benches - Oak', AT, undefined],
    ['The best you can sit on', 'Oak benches - Oak', AT, undefined],
    ['The best you can sit on', 'Oak', 'https://oak.example/', undefined],
    ['The best you can sit on', 'Oak', 'https://oak.example/%ff', undefined],
    ['The best you can sit on', 'Oak', '', undefined],
  ])('where it is a slogan: “%s” and “%s” at %s', (heading, saying, url, title) => {
    expect(named('article', heading, saying, url)).toBe(title);
  });

  it('and not where there are several', () => {
    expect(insteadOfHeading(['Bench 5001', 'Also liked'], ['Bench - 5001'], 'product', AT)).toBeUndefined();
    expect(insteadOfHeading([], ['Bench - 5001'], 'product', AT)).toBeUndefined();
  });
});

describe('a whole page', () => {
  const titleOf = (heading: string, title: string, url = AT) =>
    readHtml({
      bytes: new TextEncoder().encode(
        `<html><head><title>${title}</title></head><body>${heading}<p>${'Oak is hard, and it lasts. '.repeat(20)}</p></body></html>`,
      ),
      contentType: '',
      url,
    }).title;

  it.each([
    ['<h1>Explore the oak benches of spring</h1>', 'Oak benches of spring', 'Oak benches of spring'],
    ['<h1>Explore the oak benches of spring</h1>', '', 'Explore the oak benches of spring'],
    ['<h1>Reviews</h1>', 'Reviews of our sailing courses', 'Reviews of our sailing courses'],
    ['<h1>Built to be sat on for ever</h1>', 'Benches | Oakworks', 'Benches'],
    ['<h1>Built to be sat on for ever</h1>', 'Oak seats | Oakworks', 'Built to be sat on for ever'],
  ])('with %s and the title “%s” is “%s”', (heading, title, expected) => {
    expect(titleOf(heading, title)).toBe(expected);
  });

  it.each([
    ['<h1><a href="/">The Old Oak Books</a></h1>', 'Browse benches by wood'],
    ['<a href="https://oak.example"><h1>The Old Oak Books</h1></a>', 'Browse benches by wood'],
    ['<h1><a href="/benches">The Old Oak Books</a></h1>', 'The Old Oak Books'],
    ['<h1><a href="https://elm.example/">The Old Oak Books</a></h1>', 'The Old Oak Books'],
    ['<h1><a href="/">The Old</a> Oak Books</h1>', 'The Old Oak Books'],
    ['<h1><a href="/#top">The Old Oak Books</a></h1>', 'The Old Oak Books'],
    ['<h1><a href="https://[">The Old Oak Books</a></h1>', 'The Old Oak Books'],
    ['<h1><a>The Old Oak Books</a></h1>', 'The Old Oak Books'],
  ])('with %s is “%s”', (heading, expected) => {
    expect(titleOf(heading, 'Browse benches by wood')).toBe(expected);
  });

  it('has trade marks that were escaped twice', () => {
    expect(titleOf('', 'Tarred&amp;reg; rope&amp;trade; for boats')).toBe('Tarred® rope™ for boats');
  });
});

it.each<[Kind, string, string]>([
  ['other', 'Best boats (1,204 boats)', 'Best boats'],
  ['other', 'Best boats (2031)', 'Best boats (2031)'],
  ['other', 'Best boats (2 of 3)', 'Best boats (2 of 3)'],
  ['article', 'Best boats (12 boats)', 'Best boats (12 boats)'],
])('of a %s: “%s” is “%s”', (kind, title, expected) => {
  expect(ofItself(title, kind)).toBe(expected);
});
