import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Draws `docs/performance.svg` from the table in `docs/performance.md`. */
const docs = join(import.meta.dirname, '..', 'docs');

interface Figure {
  readonly what: string;
  readonly most: number;
  readonly measured: number;
  readonly unit: string;
}

const ROW = 26;
const LEFT = 390;
const WIDTH = 960;
const TOP = 44;
/** The scale goes from a tenth of the figure to ten times it. */
const DECADES = 1;

const figures = figuresIn(readFileSync(join(docs, 'performance.md'), 'utf8'));
if (figures.length === 0) throw new Error('docs/performance.md has no table with "at most" and "measured".');
writeFileSync(join(docs, 'performance.svg'), chart(figures));

function figuresIn(markdown: string): Figure[] {
  const rows = markdown.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const head = rows.findIndex((cells) => cells.includes('at most') && cells.includes('measured'));
  const column = (name: string) => rows[head]?.indexOf(name) ?? -1;
  const end = rows.findIndex((cells, i) => i > head && cells.length < 3);
  return rows.slice(head + 2, end < 0 ? undefined : end).flatMap((cells) => {
    const [what = '', most = '', measured = ''] = ['work', 'at most', 'measured'].map(
      (name) => cells[column(name)],
    );
    const [limit, value] = [numberIn(most), numberIn(measured)];
    const unit = /^[\d.]+\s*(\S*)/.exec(most)?.[1] ?? '';
    return limit === undefined || value === undefined
      ? []
      : [{ what: plain(what), most: limit, measured: value, unit }];
  });
}

function numberIn(text: string): number | undefined {
  const found = /^[\d.]+/.exec(text)?.[0];
  return found === undefined ? undefined : Number(found);
}

function plain(text: string): string {
  return text.replace(/[`*]/g, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function chart(all: readonly Figure[]): string {
  const height = TOP + all.length * ROW + 16;
  const scale = (share: number) => {
    const place = (Math.log10(share) + DECADES) / (2 * DECADES);
    return LEFT + Math.min(Math.max(place, 0.01), 1) * (WIDTH - LEFT - 110);
  };
  const rows = all.map(({ what, most, measured, unit }, i) => {
    const y = TOP + i * ROW;
    const isMet = measured <= most;
    const end = scale(measured / most);
    return `<text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${what}</text>
<rect class="${isMet ? 'met' : 'missed'}" x="${LEFT}" y="${y + 3}" width="${(end - LEFT).toFixed(0)}" height="16" rx="2"/>
<text x="${(Math.max(end, scale(1)) + 8).toFixed(0)}" y="${y + 15}">${measured} of ${most}${unit === '×' ? '×' : ` ${unit}`}</text>`;
  });
  const goal = scale(1).toFixed(0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Measured figures against what they may be at most">
<style>
text { font: 13px system-ui, sans-serif; fill: #222 }
.met { fill: #2a7d5f } .missed { fill: #c2702a } line { stroke: #222; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } line { stroke: #ddd } }
</style>
<text x="${goal}" y="18" text-anchor="middle">what it may be at most</text>
<line x1="${goal}" y1="26" x2="${goal}" y2="${height - 8}"/>
${rows.join('\n')}
</svg>
`;
}
