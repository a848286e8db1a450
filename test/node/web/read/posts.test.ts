import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { paragraphs } from '../../../support/made-pages.ts';

const read = (body: string, path = '/threads/wicks.12/') =>
  readHtml(
    {
      bytes: new TextEncoder().encode(
        `<!doctype html><html lang="en"><head><title>Wicks</title></head><body>${body}</body></html>`,
      ),
      contentType: 'text/html',
      url: `https://harbour.example${path}`,
    },
    { format: 'markdown' },
  );
const texts = (body: string, path?: string) => {
  const { clean_text, markdown } = read(body, path);
  return [clean_text, markdown?.text ?? ''];
};
const counted = (text: string, words: string) => text.split(words).length - 1;

const day = (i: number) => `<time datetime="2031-05-0${i}">May ${i}, 2031</time>`;
const post = (i: number, says: string, head: string) =>
  `<article class="message message--post"><h4>keeper${i}</h4><div>${head}<div class="post-body">${says}</div></div></article>`;
const thread = (says: (i: number) => string, head: (i: number) => string = () => '') =>
  `<main><h1>Wicks</h1>${[1, 2, 3, 4, 5].map((i) => post(i, says(i), head(i))).join('')}</main>`;
const own = (i: number) => paragraphs(`the wick number ${i}`, 2);

describe('the head of a post', () => {
  const linked = (i: number) =>
    `<header class="message-attribution"><ul><li><a href="/p/${i}">${day(i)}</a></li></ul>` +
    `<ul class="message-attribution-opposite"><li><a href="/p/${i}/at">Permanent place ${i}</a></li></ul></header>`;

  it('says when it was written, and not where to point at it', () => {
    for (const text of texts(thread(own, linked)))
      for (const i of [1, 2, 3, 4, 5]) {
        expect(text).toContain(`May ${i}, 2031`);
        expect(text).not.toContain(`Permanent place ${i}`);
      }
  });

  it('says it once', () => {
    const twice = (i: number) => `<div>Posted ${day(i)}</div><p>Posted ${day(i)}</p>`;
    for (const text of texts(thread(own, twice)))
      for (const i of [1, 2, 3, 4, 5]) expect(counted(text, `Posted May ${i}, 2031`), text).toBe(1);
  });

  it('says the same day of two posts', () => {
    for (const text of texts(thread(own, () => `<p>Posted ${day(3)}</p>`)))
      expect(counted(text, 'Posted May 3, 2031'), text).toBe(5);
  });

  it('leaves words alone that somebody repeats', () => {
    for (const text of texts(thread((i) => `${own(i)}<p>Burn, wick ${i}!</p><p>Burn, wick ${i}!</p>`)))
      expect(counted(text, 'Burn, wick 4!'), text).toBe(2);
  });
});

describe('the header of a card', () => {
  const card = (i: number) =>
    `<header><h4><a href="/l/${i}">Lamp of the port ${i}</a></h4></header><p>It burns ${i} hours on one filling of oil.</p>`;
  const cards = (tag: string) =>
    `<h1>Lamps</h1>${[1, 2, 3, 4, 5, 6].map((i) => `<${tag}>${card(i)}</${tag}>`).join('')}`;

  it('names it', () => {
    for (const text of texts(`<main>${cards('article')}</main>`, '/lamps'))
      for (const i of [1, 6]) expect(text).toContain(`Lamp of the port ${i}`);
  });

  it('is the head of the page outside of articles', () => {
    const menu =
      '<header><a href="/a">Lamps of the harbour</a> <a href="/b">Oils of the harbour</a></header>';
    for (const text of texts(`<div>${menu}</div>${cards('article')}`, '/lamps'))
      expect(text).not.toContain('Oils of the harbour');
  });
});

describe('a quotation in a post', () => {
  const first = 'The wick of the northern lamp has to be cut every evening before the boats come home.';
  const answer = 'No, it can wait until the morning, for the oil burns clean.';
  const quoting = (quoted: string) =>
    thread((i) =>
      i === 1
        ? `${own(1)}<p>${first}</p>`
        : i === 3
          ? `<blockquote><div>keeper1 said:</div><div>${quoted}</div></blockquote><p>${answer}</p>`
          : own(i),
    );

  it('goes with its speaker if it repeats an earlier post, so that the answer is not the speaker’s', () => {
    for (const text of texts(quoting(first))) {
      expect(counted(text, first), text).toBe(1);
      expect(text).not.toContain('keeper1 said:');
      expect(text).toContain(answer);
    }
  });

  it.each([
    ['says something new', 'Of the southern lamp I know nothing, for nobody has ever shown it to me.'],
    ['is short', 'Cut it.'],
    ['says more than the earlier post', `${first}</div><div>Each evening, I say.`],
  ])('stays with its speaker if it %s', (_, quoted) => {
    for (const text of texts(quoting(quoted))) {
      expect(text).toContain('keeper1 said:');
      expect(text).toContain(quoted.split('<div>').at(-1));
      expect(text).toContain(answer);
    }
  });
});
