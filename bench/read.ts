import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { readHtml } from '../src/web/read/read.ts';
import { figure } from './support/figures.ts';

/**
 * Measures the processor time to read a page, against Readability on linkedom, in turns within one run. `npm run bench
 * read` takes the test pages; `BENCH_PAGES=folder` takes every .html file of that folder, at the address of its first
 * `<link rel="canonical">`. `BENCH_ALONE=1` leaves Readability out.
 */
const folder = process.env.BENCH_PAGES ?? new URL('../test/fixtures/pages', import.meta.url).pathname;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.html'))
  .map((name) => {
    const bytes = readFileSync(join(folder, name));
    return { name, bytes, url: addressIn(bytes.toString('latin1')) };
  });

/** Gives the address that a page says is its own. It tells shops and forums from articles. */
function addressIn(html: string): string {
  const canonical = /<link[^>]{0,200}\brel=["']?canonical[^>]{0,500}>/i.exec(html)?.[0] ?? '';
  const href = /\bhref=["']?(https?:[^"'\s>]+)/i.exec(canonical)?.[1] ?? '';
  return URL.canParse(href) ? href : 'https://example.com/page';
}

type Reader = (page: { readonly bytes: Uint8Array; readonly url: string }) => string;
const readers: Record<string, Reader> = {
  ours: ({ bytes, url }) => readHtml({ bytes, contentType: 'text/html', url }).clean_text,
  'linkedom + Readability': ({ bytes }) =>
    new Readability(parseHTML(new TextDecoder().decode(bytes)).document as unknown as Document).parse()
      ?.textContent ?? '',
};

if (process.env.BENCH_ALONE === '1') delete readers['linkedom + Readability'];

let heap = 0;
const spent = Object.fromEntries(Object.keys(readers).map((name) => [name, new Map<string, number>()]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const page of pages) {
    for (const [name, read] of Object.entries(readers)) {
      const begun = process.cpuUsage();
      try {
        read(page);
      } catch (error) {
        if (name === 'ours') throw error;
      }
      const { user, system } = process.cpuUsage(begun);
      const took = (user + system) / 1_000;
      if (name === 'ours') heap = Math.max(heap, process.memoryUsage().heapUsed);
      // The first round warms up. Of the others the fastest counts, because other work only adds time.
      const best = spent[name]?.get(page.name) ?? Number.POSITIVE_INFINITY;
      if (round > 0) spent[name]?.set(page.name, Math.min(best, took));
    }
  }
}

const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;

console.log(
  `${pages.length} pages, best of ${ROUNDS} rounds, ms of processor time\n\n| reader | p50 | p95 | all |\n|---|---|---|---|`,
);
for (const [name, times] of Object.entries(spent)) {
  const all = [...times.values()];
  const sum = all.reduce((total, ms) => total + ms, 0);
  console.log(
    `| ${name} | ${quantile(all, 0.5).toFixed(2)} | ${quantile(all, 0.95).toFixed(2)} | ${sum.toFixed(0)} |`,
  );
}
const [mine = [], theirs = []] = Object.values(spent).map((times) => [...times.values()]);
const over = (q: number) => quantile(mine, q) / quantile(theirs, q);
if (theirs.length > 0) {
  figure('reading a page, the median', over(0.5));
  figure('reading a page, the slowest twentieth', over(0.95));
}

const SLOW_MS = 10;
const TOO_SLOW_MS = 50;
const ours = [...(spent.ours ?? [])].sort(([, a], [, b]) => b - a);
const slower = (than: number) => ours.filter(([, ms]) => ms > than).length;
const percent = ((slower(SLOW_MS) / ours.length) * 100).toFixed(1);
console.log(
  `\nours: ${percent} % of the pages over ${SLOW_MS} ms, ${slower(TOO_SLOW_MS)} over ${TOO_SLOW_MS} ms, the slowest:`,
  `${ours
    .slice(0, 3)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`)
    .join(', ')}; heap at most ${Math.ceil(heap / 2 ** 20)} MB.`,
);
