import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Output } from '../../../contracts/contract.ts';
import { webFetch } from '../../../contracts/web-fetch.ts';
import { fetchPage } from '../../../src/tools/web.ts';
import { drawn, frames, paragraphs, told } from '../../support/made-pages.ts';
import { html, type PageSite, pageSite } from '../../support/page-site.ts';
import { use } from '../../support/web-tools.ts';

let site: PageSite;
beforeAll(async () => {
  site = await pageSite();
});
afterAll(() => site.close());

type Answer = Output<typeof webFetch>;

/** Reads through the tool, as a caller who takes answers of this size. */
async function answer(input: Record<string, unknown>, room?: number): Promise<Answer> {
  const caller = room === undefined ? {} : { maxResultChars: room };
  const result = await use(webFetch, fetchPage, { url: `${site.origin}/page`, ...input }, site.ports, caller);
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result));
  return result.output as Answer;
}

async function pagesOf(
  input: Record<string, unknown>,
  sizes: () => number,
  room?: number,
): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let at: number | undefined = 0; at !== undefined; ) {
    const page = await answer({ ...input, start_index: at, max_length: sizes() }, room);
    pages.push(page);
    at = page.next_index;
  }
  return pages;
}

const TITLE = 'Everything about the harbour';
const many = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');
const section = (i: number) => `Section ${i + 1} of it`;
const contents: Record<string, string> = {
  sections: many(9, (i) => `<h2 id="s${i}">${section(i)}</h2>${paragraphs(`section ${i + 1}`, 3)}`),
  'a long table': `${paragraphs('loads', 2)}<table><tr><th>Ring</th><th>Load</th></tr>${many(90, (i) => `<tr><td>Ring ${i}</td><td>${i} t | dry</td></tr>`)}</table>`,
  'code and nested lists': `${paragraphs('ports', 2)}${many(8, (i) => `<ul><li>${told('ports', i)}<ul><li>${told('quays', i)}</li></ul></li></ul><pre><code>let port = ${i};\n  open(port);\n\nclose();</code></pre>`)}`,
  'other scripts': many(
    12,
    (i) =>
      `<p>港の記録その${i}、綱は点検され、夜には誰も信用しない。${'🪢👩‍🚀🚢'.repeat(90)} שלום ${told('scripts', i)}</p>`,
  ),
  'fences in code': `${paragraphs('locks', 2)}<pre><code class="language-sh">${'raise\n```\n~~~~\n  # gate\n\n\n'.repeat(50)}</code></pre>${paragraphs('gates', 2)}`,
  'cells that span everything': `${paragraphs('moles', 2)}<table>${'<tr><td colspan="100000" rowspan="100000">mole<td colspan="99999">| end \\|'.repeat(400)}</table>`,
  'half characters': many(
    20,
    (i) => `<p>&#xD83D; &#xDE00; 😀 &#x0; &#x110000; ${told('buoys', i)} 🪢&#xDEA2;</p>`,
  ),
};

/** Pages whose sizes are drawn: some of a few characters, some of hundreds. */
const sizesFrom = (seed: number) => {
  const draw = drawn(seed);
  return () => (draw() < 0.1 ? 1 + Math.floor(draw() * 5) : 80 + Math.floor(draw() * 900));
};

describe.each(Object.entries(contents))('all pages of %s join to the whole', (_, body) => {
  it.each(Object.entries(frames))('framed as %s', async (_, framed) => {
    site.serve({ '/page': html(framed({ title: TITLE, body }), { type: 'text/html; charset=utf-8' }) });
    for (const format of ['markdown', 'text']) {
      const whole = await answer({ format });
      expect(whole.next_index).toBeUndefined();
      const pages = await pagesOf({ format }, sizesFrom(format.length));
      expect(pages.length).toBeGreaterThan(3);
      expect(pages.map((page) => page.clean_text).join('')).toBe(whole.clean_text);
      let at = 0;
      for (const page of pages) {
        expect(page).toMatchObject({ start_index: at, total: whole.clean_text.length });
        expect(page.clean_text.isWellFormed()).toBe(true);
        for (const { title, start_index } of page.sections ?? [])
          expect(whole.clean_text.slice(start_index, start_index + title.length + 7)).toContain(title);
        at += page.clean_text.length;
      }
    }
  });
});

describe('a caller who takes little', () => {
  it.each(Object.entries(frames))('gets the whole in pages that fit, framed as %s', async (_, framed) => {
    const body = contents.sections ?? '';
    site.serve({ '/page': html(framed({ title: TITLE, body })) });
    const whole = await answer({});
    const room = 4_000;
    const pages = await pagesOf({}, () => 1_000_000, room);
    expect(pages.map((page) => page.clean_text).join('')).toBe(whole.clean_text);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThanOrEqual(room);
    const named = whole.clean_text.split('\n').filter((line) => line.startsWith('## '));
    expect(named).toEqual(Array.from({ length: 9 }, (_, i) => `## ${section(i)}`));
    expect(pages[0]?.sections?.filter(({ level }) => level === 2).map(({ title }) => title)).toEqual(
      named.map((line) => line.slice(3)),
    );
  });
});

it('a page that begins in the middle of a character has it whole', async () => {
  site.serve({ '/knots': html(`<p>${'🪢'.repeat(40)}</p>`) });
  const page = await answer({ url: `${site.origin}/knots`, start_index: 7, max_length: 6 });
  expect(page).toMatchObject({ start_index: 6, clean_text: '🪢🪢🪢', next_index: 12 });
});
