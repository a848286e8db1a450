import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { elementsBy, MOST_SEARCHED, selectorProblem } from '../../../../src/web/read/select.ts';

const read = (body: string, selector: string) =>
  readHtml(
    { bytes: new TextEncoder().encode(body), contentType: 'text/html', url: 'https://page.example.org/' },
    { format: 'markdown', select: (page) => elementsBy(selector, page) },
  );

const flat = (count: number) => '<i>x</i>'.repeat(count);
const deep = `<section>${'<div>'.repeat(390)}x${'</div>'.repeat(390)}</section>`.repeat(60);
const wide = `<b ${Array.from({ length: 20 }, (_, i) => `a${i}="${'v'.repeat(1_000)}"`).join(' ')}>x</b>`;

// Each would take from seconds to days if nobody counted what the search looks at.
describe('the search for a selector ends on a page that is made to wear it out', () => {
  it.each([
    ['siblings of siblings', flat(30_000), 'b ~ i ~ i ~ i ~ i'],
    ['places among siblings', flat(12_000), 'i:nth-child(2)'],
    ['places of a kind', flat(30_000), 'i:nth-last-of-type(2n + 1)'],
    ['places among those that match', flat(9_000), 'i:nth-child(2 of :not(b))'],
    ['ancestors of ancestors', deep, 'b div div div div div div'],
    ['descendants that have siblings', deep + flat(9_000), ':has(~ i ~ b)'],
    ['all of that nested', deep, ':not(:has(div div div:not(:has(b)) div) div div)'],
    ['long attributes', wide.repeat(80) + flat(9_000), '[a0*="vvvvvvvvw" i] ~ i, [a19$="w"] ~ i'],
  ])('%s', { timeout: 60_000 }, (_, body, selector) => {
    expect(selectorProblem(selector)).toBeUndefined();
    expect(read(body, selector).selected).toBe('too much work');
  });

  it.each([
    ['tags', flat(30_000), 'i, b, u', 30_000],
    ['classes', '<p class="a b c">x</p>'.repeat(20_000), '.c', 20_000],
    ['a table', `<table>${'<tr><td>x<td>y'.repeat(3_000)}</table>`, 'tr:nth-child(2) td', 2],
    ['ancestors', deep, 'section div div b', 0],
    ['many attributes', wide.repeat(90), '[a1][a2][a3][a19]', 90],
  ])('and finds what people look for on a large one: %s', { timeout: 60_000 }, (_, body, selector, found) => {
    expect(read(body, selector).selected).toMatchObject({ found });
  });

  it('of a page with the most elements, and with one more', { timeout: 60_000 }, () => {
    // Two are the page itself.
    expect(read(`${flat(MOST_SEARCHED - 3)}<b>y</b>`, 'b')).toMatchObject({ clean_text: 'y' });
    expect(read(`${flat(MOST_SEARCHED - 2)}<b>y</b>`, 'b')).toMatchObject({ selected: 'too much work' });
  });

  it('and a page cannot choose how it is searched', () => {
    const names = ['constructor', 'hasOwnProperty', 'onclick', 'class'];
    const body = names.map((name) => `<${name}-x ${name}="v" id="${name}">said ${name}</${name}-x>`).join('');
    for (const name of names)
      expect(read(`<p>first</p>${body}`, `[${name}="v"]`).clean_text, name).toBe(`said ${name}`);
    expect(read('<p>x</p>', '[toString], [__proto__], [constructor]').selected).toEqual({
      found: 0,
      seen: 0,
    });
  });
});
