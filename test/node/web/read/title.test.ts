import { describe, expect, it } from 'vitest';
import { ofItself } from '../../../../src/web/read/meta/site-name.ts';
import type { Kind } from '../../../../src/web/read/page-kind.ts';
import { readHtml } from '../../../../src/web/read/read.ts';

const read = (head: string, body = '', url = 'https://www.paper.example/news') =>
  readHtml({
    bytes: new TextEncoder().encode(`<html><head>${head}</head><body>${body}</body></html>`),
    contentType: '',
    url,
  });

describe('a title', () => {
  it.each([
    [
      'ends with the site',
      '<title>Pier to be rebuilt | Harbour Paper</title><meta property="og:site_name" content="Harbour Paper">',
    ],
    [
      'starts with the site',
      '<title>Harbour Paper: Pier to be rebuilt</title><meta property="og:site_name" content="Harbour Paper">',
    ],
    ['ends with the host', '<title>Pier to be rebuilt - Paper</title>'],
    ['ends with a name nobody knows', '<title>Pier to be rebuilt – The Weekly Tide</title>'],
    ['is only in the sharing metadata', '<meta property="og:title" content="Pier to be rebuilt">'],
    ['is escaped twice', '<title>Pier to be&amp;#32;rebuilt</title>'],
  ])('that %s', (_, head) => {
    expect(read(head).title).toBe('Pier to be rebuilt');
  });

  const titled = (title: string, more: string, url = 'https://www.paper.example/news') =>
    read(`<title>${title}</title>${more}`, '', url).title;

  it('is not cut down to what follows a headline that starts with the site', () => {
    const headline = 'Paper.example: Pier to be rebuilt for the crews of the eastern harbour, in oak';
    expect(titled(`${headline} : Harbours`, '')).toBe(`${headline} : Harbours`);
  });

  it('is without the section that it is filed under', () => {
    expect(titled('Pier will be rebuilt | Opinion', '<h1>Pier will be rebuilt | Opinion</h1>')).toBe(
      'Pier will be rebuilt',
    );
    expect(
      titled(
        'Pier to be rebuilt - Boats - Harbour Paper',
        '<meta property="og:title" content="Pier to be rebuilt">',
      ),
    ).toBe('Pier to be rebuilt');
  });

  it('is the one for sharing where no heading tells, unless that is the name of the site', () => {
    const shared = (title: string) => `<meta property="og:title" content="${title}">`;
    const search = 'Oak piles and piers, cheap and near';
    expect(titled(search, shared('A pier is rebuilt'))).toBe('A pier is rebuilt');
    expect(titled(search, shared('Paper'), 'https://www.paper.example/news')).toBe(search);
    const site = '<meta property="og:site_name" content="Harbour Paper">';
    expect(titled(search, `${site}${shared('Harbour Paper')}`)).toBe(search);
  });

  it('goes on as the only heading does, but not with who wrote it', () => {
    const heading = 'Pier to be rebuilt: a long wait is over';
    expect(titled('Pier to be rebuilt', `<h1>${heading}</h1>`)).toBe(heading);
    expect(titled('Pier to be rebuilt', '<h1>Pier to be rebuilt by Ana Ruiz</h1>')).toBe(
      'Pier to be rebuilt',
    );
  });

  it('of a front page starts with the name of its site', () => {
    const front = 'https://www.paper.example/';
    expect(titled('Paper - News of the harbours', '<h1>You deserve good news.</h1>', front)).toBe(
      'Paper - News of the harbours',
    );
    expect(titled('News of the harbours | Paper', '<h1>You deserve good news.</h1>', front)).toBe(
      'News of the harbours',
    );
  });

  it('keeps a dash of its own where the heading has it', () => {
    expect(read('<title>Pier - the long wait</title>', '<h1>Pier - the long wait</h1>').title).toBe(
      'Pier - the long wait',
    );
  });

  it.each<[Kind, string, string]>([
    ['thread', 'Solved - how to caulk a hull', 'how to caulk a hull'],
    ['thread', 'Wooden boats - how to caulk a hull', 'how to caulk a hull'],
    ['thread', 'Old wooden boats - how to caulk one', 'Old wooden boats - how to caulk one'],
    ['thread', 'Tar - a question', 'Tar - a question'],
    ['article', 'Solved - how to caulk a hull', 'Solved - how to caulk a hull'],
    ['product', 'Caulking Iron & Reviews', 'Caulking Iron'],
    ['article', 'Books & Reviews', 'Books & Reviews'],
    ['list', 'Best boats (1,204 boats)', 'Best boats'],
    ['list', '(12)', '(12)'],
  ])('of a %s: “%s” is “%s”', (kind, title, expected) => {
    expect(ofItself(title, kind)).toBe(expected);
  });

  it('has the name of its site taken off twice where it stands twice', () => {
    const site = '<meta property="og:site_name" content="Paper!">';
    expect(titled('Paper! | Paper.example - Pier to be rebuilt', site)).toBe('Pier to be rebuilt');
  });

  it('keeps the name of a thing that begins as its site’s does', () => {
    const boats = 'https://www.paper.example/boats';
    expect(titled('Paper Boats | Folded by hand | Paper', '', boats)).toBe('Paper Boats | Folded by hand');
    expect(titled('Paper.example | Boats that are folded by hand', '', boats)).toBe(
      'Boats that are folded by hand',
    );
  });

  it('keeps the site’s name where a heading says that the page is about that', () => {
    const boats = 'https://www.paper.example/boats';
    const title = 'Paper - Boats that are folded by hand';
    expect(titled(title, '<h1>Paper</h1>', boats)).toBe('Paper');
    expect(titled(title, '<h1>Welcome aboard</h1>', boats)).toBe('Boats that are folded by hand');
  });

  it('has no anchor sign', () => {
    expect(read('<title>Tides — Harbour documentation</title>', '<h1>Tides¶</h1>').title).toBe('Tides');
  });
});
