import { describe, expect, it } from 'vitest';
import { groundedSummary } from '../../../src/joined/summary.ts';
import { readHtml } from '../../../src/web/read/read.ts';

const MIB = 1_048_576;
const filled = (part: string) => part.repeat(Math.ceil(MIB / part.length));
const read = (head: string, body: string, how = {}) =>
  readHtml(
    {
      bytes: new TextEncoder().encode(
        `<html><head><title>Page</title>${head}</head><body><p>Words of the page.</p>${body}</body></html>`,
      ),
      contentType: 'text/html',
      url: 'https://page.example.org/',
    },
    how,
  );

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
    ['signs within a heading', '', `<h2>a ${filled('#')}x</h2>`],
    ['a line of dashes', '', `<p>${filled('-')}x</p>`],
    ['backslashes within a cell', '', `<table><tr><td>${filled('\\')}<td>b<tr><td>c<td>d</table>`],
    ['a formula of many signs', '', `<math><mrow>${filled('<mi>α</mi>')}</mrow></math>`],
    [
      'a formula in rows of rows',
      '',
      `<math>${'<mrow>'.repeat(300)}<mi>x</mi>${'</mrow>'.repeat(300)}</math>`,
    ],
    ['roots of fractions', '', `<math>${'<msqrt><mfrac>'.repeat(100)}<mi>x</mi></math>`],
    [
      'code below long names',
      '',
      `<div class="${'ab '.repeat(200_000)}">${'<pre>a</pre>'.repeat(40_000)}</div>`,
    ],
    [
      'lists in lists of metadata',
      `<script type="application/ld+json">{"@type":"Article","image":${'['.repeat(200_000)}${']'.repeat(200_000)}}</script>`,
      '',
    ],
    [
      'lists in lists of descriptions',
      `<script type="application/ld+json">{"@type":"Article","description":${'['.repeat(200_000)}${']'.repeat(200_000)}}</script>`,
      '',
    ],
    ['links in links', '', `${'<a href="/a">'.repeat(390)}${filled('word ')}`],
  ])('is read as soon as others: %s', { timeout: 20_000 }, (_, head, body) => {
    expect(read(head, body, { format: 'markdown', links: true }).clean_text).not.toBe('');
  });

  it('and neither is the answer of a language model', { timeout: 20_000 }, () => {
    expect(groundedSummary(`\`\`\`json\n${filled('\n ')}x`, 'Words.')).toHaveProperty('problem');
  });
});
