import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Output } from '../../../contracts/contract.ts';
import { webFetch } from '../../../contracts/web-fetch.ts';
import { fetchPage } from '../../../src/tools/web.ts';
import { article, html, type PageSite, pageSite, type Served, sentence } from '../../support/page-site.ts';
import { pdfOf } from '../../support/pdf.ts';
import { failureIn } from '../../support/tools.ts';
import { use } from '../../support/web-tools.ts';

let site: PageSite;
beforeAll(async () => {
  site = await pageSite();
});
afterAll(() => site.close());

type Answer = Output<typeof webFetch>;
const ask = (path: string, input: Record<string, unknown> = {}, caller = {}) =>
  use(webFetch, fetchPage, { url: `${site.origin}${path}`, ...input }, site.ports, caller);
const answer = async (...args: Parameters<typeof ask>): Promise<Answer> => {
  const result = await ask(...args);
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
  return result.output as Answer;
};
/** Reads all pages of a text, each where the one before ended. */
async function joined(path: string, input: Record<string, unknown>, caller = {}): Promise<string[]> {
  const pieces: string[] = [];
  for (let at: number | undefined = 0; at !== undefined; ) {
    const piece: Answer = await answer(path, { ...input, start_index: at }, caller);
    expect(piece.start_index).toBe(at);
    pieces.push(piece.clean_text);
    at = piece.next_index;
  }
  return pieces;
}

const sections = ['Bowline', 'Sheet bend', 'Clove hitch'];
const book = article(
  sections
    .map(
      (name, i) =>
        `</p><h2 id="s${i}">${name}</h2><p>${sentence.repeat(30)}</p><h3>Uses of it</h3><p>${name} 🪢 ${sentence}`,
    )
    .join(''),
);
const pdf = pdfOf(Array.from({ length: 100 }, (_, i) => `This is page ${i + 1}.`));

describe('a long text comes in pages that join to the whole', () => {
  it.each<[string, Served, Record<string, unknown>]>([
    ['Markdown', html(book), { max_length: 700 }],
    ['plain text', html(book), { max_length: 333, format: 'text' }],
    ['one character at a time', html('<p>Knots 🪢 hold.</p>'), { max_length: 1 }],
    ['a text of one line', { type: 'text/plain', body: '🪢'.repeat(500) }, { max_length: 77 }],
    [
      'JSON',
      { type: 'application/json', body: JSON.stringify(Array(300).fill('knot')) },
      { max_length: 500 },
    ],
    ['a PDF', { type: 'application/pdf', body: pdf }, { max_length: 400 }],
  ])('%s', async (_, served, input) => {
    site.serve({ '/page': served });
    const whole = await answer('/page', { ...input, max_length: undefined });
    expect(whole.next_index).toBeUndefined();
    const pieces = await joined('/page', input);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(whole.clean_text);
    expect(whole.total).toBe(whole.clean_text.length);
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
  });

  it('also where only so much fits into an answer', async () => {
    site.serve({ '/page': html(book) });
    const whole = await answer('/page');
    const pieces = await joined('/page', {}, { maxResultChars: 4_000 });
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe(whole.clean_text);
  });

  it('of the text that the first page came from, although the page has changed since', async () => {
    site.serve({ '/page': html(book) });
    const first = await answer('/page', { max_length: 500 });
    site.serve({ '/page': html(article('Something else, now. '.repeat(90))) });
    const second = await answer('/page', { max_length: 500, start_index: first.next_index });
    expect(second.clean_text).toContain('bowline');
    expect((await answer('/page')).clean_text).not.toContain('bowline');
  });

  it('and names its sections where it is not the whole', async () => {
    site.serve({ '/page': html(book) });
    const first = await answer('/page', { max_length: 500 });
    const whole = await answer('/page');
    expect(first.sections?.map(({ title }) => title)).toEqual(expect.arrayContaining(sections));
    for (const { title, start_index, level } of first.sections ?? [])
      expect(whole.clean_text.slice(start_index)).toMatch(new RegExp(`^#{${level}} ${title}\n`));
    expect(whole).not.toHaveProperty('sections');
    expect(failureIn(await ask('/page', { start_index: 999_999 }))).toMatchObject({ code: 'parse_failed' });
  });
});

describe('a section', () => {
  it.each(['Sheet bend', 'sheet bend!', 's1', '#s1'])('named %s is given alone', async (section) => {
    site.serve({ '/page': html(book) });
    const { clean_text, total, next_index } = await answer('/page', { section });
    expect(clean_text).toMatch(/^## Sheet bend\n[\s\S]*### Uses of it\n\nSheet bend 🪢[^#]*$/);
    expect(clean_text.length).toBeLessThan(total);
    expect(next_index).toBeUndefined();
  });

  it('is selected by the fragment of the address, in both forms, and comes in pages', async () => {
    site.serve({ '/page': html(book) });
    expect((await answer('/page#s1')).clean_text).toMatch(/^## Sheet bend\n/);
    expect((await answer('/page#s1', { format: 'text' })).clean_text).toMatch(/^Sheet bend\n/);
    expect((await answer('/page#nowhere')).clean_text).toContain('Clove hitch');
    const first = await answer('/page#s1', { max_length: 100 });
    const rest = await answer('/page#s1', { start_index: first.next_index });
    expect(first.clean_text + rest.clean_text).toBe((await answer('/page#s1')).clean_text);
  });

  it('that is not there is refused with those that are', async () => {
    site.serve({ '/page': html(book) });
    expect(failureIn(await ask('/page', { section: 'Reef knot' }))).toMatchObject({
      code: 'no_such_section',
      message: expect.stringContaining('"Sheet bend"'),
    });
  });

  it('of a PDF is a page, or a few', async () => {
    site.serve({ '/page': { type: 'application/pdf', body: pdf } });
    expect((await answer('/page', { section: 'page 57' })).clean_text).toBe(
      'This is page 57.\n\n[…]'.slice(0, 16),
    );
    expect((await answer('/page#page=99')).clean_text).toBe('This is page 99.');
    expect((await answer('/page', { section: 'pages 99-300' })).clean_text).toBe(
      'This is page 99.\n\nThis is page 100.',
    );
    expect(failureIn(await ask('/page', { section: 'page 101' })).message).toContain('has only 100 pages');
  });
});

describe('what is known of a page besides its text', () => {
  const ld = (node: object) => `<script type="application/ld+json">${JSON.stringify(node)}</script>`;

  it('comes in fields', async () => {
    const head = `<link rel="canonical" href="/knots"><meta property="og:site_name" content="Harbour">
      <meta name="description" content="All of knots."><meta property="og:image" content="/k.png">
      <meta property="article:tag" content="rope"><meta property="article:tag" content="sea">
      <meta property="article:modified_time" content="2026-02-03T04:05:06Z">`;
    site.serve({ '/page': html(article(undefined, head)) });
    expect(await answer('/page')).toMatchObject({
      status: 200,
      kind: 'article',
      reading: 'main',
      canonical_url: `${site.origin}/knots`,
      site_name: 'Harbour',
      description: 'All of knots.',
      image: `${site.origin}/k.png`,
      tags: ['rope', 'sea'],
      modified_at: '2026-02-03T04:05:06Z',
    });
  });

  it.each([
    [
      'a recipe',
      {
        '@type': 'Recipe',
        name: 'Stew',
        recipeIngredient: ['1 fish'],
        recipeInstructions: [{ '@type': 'HowToStep', text: 'Boil it.' }],
      },
      { type: 'Recipe', name: 'Stew', ingredients: ['1 fish'], steps: ['Boil it.'] },
    ],
    [
      'a product',
      {
        '@type': 'Product',
        name: 'Rope',
        offers: { price: 9.5, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
        aggregateRating: { ratingValue: '4.5', reviewCount: 12 },
      },
      {
        type: 'Product',
        name: 'Rope',
        price: ['9.5 EUR'],
        availability: ['InStock'],
        rating: '4.5 of 5, 12 ratings',
      },
    ],
    [
      'an event',
      {
        '@type': 'MusicEvent',
        name: 'Shanties',
        startDate: '2026-05-01',
        location: { name: 'Pier', address: { addressLocality: 'Kiel' } },
      },
      { type: 'MusicEvent', name: 'Shanties', starts: '2026-05-01', place: 'Pier, Kiel' },
    ],
    [
      'a video',
      { '@type': 'VideoObject', name: 'Tying', duration: 'PT2M', uploadDate: '2026-01-02' },
      { type: 'VideoObject', name: 'Tying', uploaded: '2026-01-02', duration: 'PT2M' },
    ],
    [
      'questions',
      {
        '@type': 'FAQPage',
        mainEntity: [{ '@type': 'Question', name: 'Does it slip?', acceptedAnswer: { text: 'No.' } }],
      },
      { type: 'FAQPage', questions: ['Does it slip? → No.'] },
    ],
    [
      'a job',
      {
        '@type': 'JobPosting',
        name: 'Rigger',
        hiringOrganization: { name: 'Yard' },
        baseSalary: { currency: 'EUR', value: { minValue: 1, maxValue: 2, unitText: 'HOUR' } },
      },
      { type: 'JobPosting', name: 'Rigger', employer: 'Yard', salary: '1–2 EUR HOUR' },
    ],
  ])('and what it describes for machines: %s', async (_, node, expected) => {
    site.serve({ '/page': html(article(undefined, ld(node))) });
    expect((await answer('/page')).structured).toEqual([expected]);
  });

  it('and that the rest of it is for subscribers', async () => {
    const node = { '@type': 'NewsArticle', isAccessibleForFree: 'False' };
    site.serve({ '/page': html(article(undefined, ld(node))) });
    expect((await answer('/page')).wall).toBe('paywalled');
  });

  it('is its text, where a script would have built it from data', async () => {
    const shell = (data: string) =>
      html(`<title>Knots</title>${data}<script>${'boot();'.repeat(500)}</script><div id="app"></div>`);
    const said = sentence.repeat(5).trim();
    for (const data of [
      ld({ '@type': 'Article', articleBody: said }),
      `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: { post: { html: `<p>${said}</p>` } } } })}</script>`,
    ]) {
      site.serve({ '/page': shell(data) });
      expect(await answer('/page')).toMatchObject({
        clean_text: expect.stringContaining(said),
        reading: 'page data',
        wall: 'needs_js',
      });
    }
  });

  it('is its links and pictures, if they are asked for', async () => {
    const body = `<nav><a href="/home">Home</a></nav>${article(`${sentence.repeat(9)}<a href="/b?utm_source=x">b</a> <a href="/b">again</a> <img src="/p.png" alt="Knot">`)}`;
    site.serve({ '/page': html(body) });
    expect(await answer('/page', { include_links: true, include_images: true })).toMatchObject({
      links: [
        { text: 'b', href: `${site.origin}/b`, where: 'content' },
        { text: 'Home', href: `${site.origin}/home`, where: 'around' },
      ],
      images: [{ src: `${site.origin}/p.png`, alt: 'Knot', where: 'content' }],
    });
    expect(await answer('/page')).not.toHaveProperty('links');
  });
});

describe('on the way to a page', () => {
  const refresh = (target: string, head = '') =>
    html(`${head}<meta http-equiv="refresh" content="0; url=${target}"><p>Moved.</p>`);

  it('a page that leads on by itself is followed', async () => {
    site.serve({ '/page': refresh('/next'), '/next': html(article()) });
    expect(await answer('/page')).toMatchObject({ final_url: `${site.origin}/next`, title: 'Knots' });
    site.serve({ '/page': refresh('/page') });
    expect(await answer('/page')).toMatchObject({ final_url: `${site.origin}/page` });
    site.serve({
      '/page': html(`<noscript><meta http-equiv="refresh" content="0; url=/next"></noscript>${article()}`),
    });
    expect(await answer('/page')).toMatchObject({ final_url: `${site.origin}/page` });
  });

  it('it is followed only where a redirect would be', async () => {
    for (const target of ['http://127.0.0.1:1/', 'http://169.254.169.254/', 'file:///etc/passwd']) {
      site.serve({ '/page': refresh(target) });
      expect(failureIn(await ask('/page'))).toMatchObject({ code: 'blocked_url' });
    }
    site.serve({ '/page': refresh('/b'), '/b': refresh('/page') });
    expect(failureIn(await ask('/page'))).toMatchObject({ code: 'fetch_failed' });
  });

  it('a body packed with `deflate` is unpacked', async () => {
    const headers = { 'content-encoding': 'deflate' };
    site.serve({ '/page': html(deflateSync(article()), { headers }) });
    expect((await answer('/page')).title).toBe('Knots');
  });
});
