import { expect } from 'vitest';
import { drawn, paragraphs } from '../../../support/made-pages.ts';
import { holdInAllFrames, inOrder, made, SITE, times, type Useful } from '../../../support/useful-pages.ts';

/** A table's cells by row and column. A cell is empty where another one spans. */
interface Grid {
  readonly html: string;
  readonly cells: readonly (readonly string[])[];
}

/** Draws a table: cells of all lengths, some empty, some over several rows or columns. */
function grid(seed: number, { spans, empty }: { spans: number; empty: number }): Grid {
  const draw = drawn(seed);
  const rows = 4 + Math.floor(draw() * 5);
  const columns = 3 + Math.floor(draw() * 4);
  const cells = times(rows, () => times(columns, () => ''));
  const taken = times(rows, () => times(columns, () => false));
  const head = times(columns, (c) => `Column ${c + 1}`);
  const lines = cells.map((row, r) => {
    let html = '';
    for (let c = 0; c < columns; c++) {
      if (taken[r]?.[c]) continue;
      const free = !taken[r]?.[c + 1] && c + 1 < columns;
      const across = free && draw() < spans ? 2 : 1;
      // The first column keeps each row from being empty.
      const down = c > 0 && r + 1 < rows && draw() < spans ? 2 : 1;
      for (let y = 0; y < down; y++)
        for (let x = 0; x < across; x++) {
          const line = taken[r + y];
          if (line) line[c + x] = true;
        }
      if (c === 0 || draw() >= empty) row[c] = `R${r + 1} C${c + 1}${draw() < 0.3 ? ' as measured' : ''}`;
      html += `<td${across > 1 ? ` colspan="${across}"` : ''}${down > 1 ? ` rowspan="${down}"` : ''}>${row[c]}</td>`;
    }
    return `<tr>${html}</tr>`;
  });
  const top = `<tr>${head.map((each) => `<th>${each}</th>`).join('')}</tr>`;
  return { html: `<table>${top}${lines.join('')}</table>`, cells: [head, ...cells] };
}

/** Reads a table of Markdown back into its cells. */
function cellsIn(markdown: string): string[][] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|---'));
  return rows.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const tabled = (seed: number, drawing: { spans: number; empty: number }): Useful => {
  const { html, cells } = grid(seed, drawing);
  return {
    page: made(`${paragraphs('soundings', 3)}${html}${paragraphs('currents', 2)}`),
    check: (markdown) => expect(cellsIn(markdown)).toEqual(cells),
  };
};
const tables: Record<string, Useful> = {
  'with a value in each cell': tabled(1, { spans: 0, empty: 0 }),
  'with empty cells': tabled(2, { spans: 0, empty: 0.4 }),
  'with cells over rows and columns': tabled(3, { spans: 0.3, empty: 0 }),
  'with both': tabled(4, { spans: 0.25, empty: 0.25 }),
  'with more of both': tabled(5, { spans: 0.4, empty: 0.4 }),
};

const mathml = '<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math>';
const katex = (tex: string, shown: string) =>
  `<span class="katex"><span class="katex-mathml"><math><semantics><mrow>${[...shown].map((sign) => `<mi>${sign}</mi>`).join('')}</mrow><annotation encoding="application/x-tex">${tex}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">${shown}</span></span></span>`;
const formula = (html: string, tex: string): Useful => ({
  page: made(
    `${paragraphs('tides', 3)}<p>So it holds that ${html} for each tide, as measured.</p>${paragraphs('ebb', 2)}`,
  ),
  check: (markdown) => inOrder(markdown, [`So it holds that ${tex} for each tide`]),
});
const math: Record<string, Useful> = {
  'as MathML': formula(mathml, '$\\frac{a}{b^2}$'),
  'as KaTeX, once': formula(katex('x_{1}+y', 'x1+y'), '$x_{1}+y$'),
  'as the source for a script': formula('<script type="math/tex">\\sqrt{h}</script>', '$\\sqrt{h}$'),
  'on a line of its own': {
    page: made(
      `${paragraphs('tides', 3)}<math display="block"><mi>E</mi><mo>=</mo><msup><mi>v</mi><mn>2</mn></msup></math>${paragraphs('ebb', 2)}`,
    ),
    check: (markdown) => inOrder(markdown, ['\n\n$$\nE=v^2\n$$\n\n']),
  },
};

const caption = (i: number) =>
  `Figure ${i + 1}: berth ${i + 1} seen from the ${i % 2 ? 'sea' : 'quay'} side.`;
const captioned = (each: (i: number) => string, expected = caption): Useful => ({
  page: made(times(4, (i) => paragraphs(`berth ${i + 1}`, 2) + each(i)).join('') + paragraphs('the last', 1)),
  check: (markdown) => inOrder(markdown, times(4, expected)),
});
const captions: Record<string, Useful> = {
  'of figures': captioned(
    (i) => `<figure><img src="/p${i}.jpg" alt=""><figcaption>${caption(i)}</figcaption></figure>`,
  ),
  'of a weblog': captioned(
    (i) => `<div class="wp-caption"><img src="/p${i}.jpg"><p class="wp-caption-text">${caption(i)}</p></div>`,
  ),
  'of tables': captioned(
    (i) =>
      `<table><caption>${caption(i)}</caption><tr><th>Ring</th><th>Load</th></tr><tr><td>1</td><td>${i} t</td></tr></table>`,
  ),
  'in place of pictures': captioned(
    (i) => `<p><img src="/p${i}.jpg" alt="${caption(i)}"></p>`,
    (i) => `![${caption(i)}](${SITE}/p${i}.jpg)`,
  ),
};

holdInAllFrames({ 'keeps tables aligned': tables, 'keeps formulas': math, 'keeps captions': captions }, 65);
