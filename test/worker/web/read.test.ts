import { expect, it } from 'vitest';
import { readHtml } from '../../../src/web/read/read.ts';
import { encodedWords, pageOf } from '../../support/encoded-pages.ts';

const url = 'https://paper.example/';
const SENTENCE =
  'The pier, which storms have damaged twice, will be rebuilt, said the harbour master on Monday.';

it.each(encodedWords)('reads %s in the Workers runtime', (label, bytes, word) => {
  const page = readHtml({ bytes: pageOf(bytes), contentType: `text/html; charset=${label}`, url });
  expect(page.clean_text).toBe(word);
});

it('reads an article in the Workers runtime', () => {
  const html = `<html lang="en"><title>Pier</title><nav><a href="/">NAVWORD</a></nav><article><h1>Pier</h1><p>By Ana Ruiz, <time datetime="2031-03-05">5 March</time></p><p>${SENTENCE}</p></article></html>`;
  const source = { bytes: new TextEncoder().encode(html), contentType: 'text/html', url };
  const { about, structured, ...page } = readHtml(source, { format: 'markdown' });
  expect([about, structured]).toEqual([{}, []]);
  expect(page).toEqual({
    clean_text: SENTENCE,
    markdown: { text: SENTENCE, headings: [], places: new Map() },
    reading: 'main',
    title: 'Pier',
    byline: 'Ana Ruiz',
    published_at: '2031-03-05',
    lang: 'en',
    kind: 'article',
  });
});

it('walks 50,000 nested tags on the stack of the Workers runtime', () => {
  const html = `${'<x-y>'.repeat(50_000)}<p>${SENTENCE}</p>${'</x-y>'.repeat(50_000)}`;
  expect(readHtml({ bytes: new TextEncoder().encode(html), contentType: '', url }).clean_text).toBe(SENTENCE);
});
