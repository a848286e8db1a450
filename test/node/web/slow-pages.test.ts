import { describe, expect, it } from 'vitest';
import { groundedSummary } from '../../../src/joined/summary.ts';
import { readHtml } from '../../../src/web/read/read.ts';

const MIB = 1_048_576;
const filled = (part: string) => part.repeat(Math.ceil(MIB / part.length));
const read = (head: string, body: string) =>
  readHtml({
    bytes: new TextEncoder().encode(
      `<html><head><title>Page</title>${head}</head><body><p>Words of the page.</p>${body}</body></html>`,
    ),
    contentType: 'text/html',
    url: 'https://page.example.org/',
  });

// Each took minutes where a pattern walked over the same stretch again from each of its characters.
describe('a page of 1 MB that is made to wear a pattern out', () => {
  it.each([
    ['blanks within code', '', `<pre>a${filled(' ')}b</pre>`],
    ['addresses in a style that never end', '', `<p style="${filled('url(a')}">x</p>`],
    ['an author without a space', '', `<p itemprop="author" content="${filled('a')}">x</p>`],
    ['an author of blanks', '', `<p itemprop="author" content="a${filled('\u3000')}1">x</p>`],
    ['a title of bars', `<title>${filled('a|')}</title><meta property="og:site_name" content="a">`, ''],
    ['a generator', `<meta name="generator" content="${filled('hugo')}">`, ''],
    ['names', '', `<p class="${filled('a--')}" id="${filled('[')}">x</p>`],
    ['blanks before a heading’s sign', '', `<h1>a${filled('&#12288;')}b</h1>`],
  ])('is read as soon as others: %s', { timeout: 20_000 }, (_, head, body) => {
    expect(read(head, body).clean_text).not.toBe('');
  });

  it('and neither is the answer of a language model', { timeout: 20_000 }, () => {
    expect(groundedSummary(`\`\`\`json\n${filled('\n ')}x`, 'Words.')).toHaveProperty('problem');
  });
});
