import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { readHtml } from '../src/web/read/read.ts';
import { figure } from './support/figures.ts';

/**
 * Measures the milliseconds to read a page, against Readability on linkedom, in turns within one run. `npm run bench
 * read` takes the test pages; `BENCH_PAGES=folder` takes every .html file of that folder.
 */
const folder = process.env.BENCH_PAGES ?? new URL('../test/fixtures/pages', import.meta.url).pathname;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.html'))
  .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));

const readers: Record<string, (bytes: Uint8Array) => string> = {
  ours: (bytes) => readHtml({ bytes, contentType: 'text/html', url: 'https://example.com/page' }).clean_text,
  'linkedom + Readability': (bytes) =>
    new Readability(parseHTML(new TextDecoder().decode(bytes)).document as unknown as Document).parse()
      ?.textContent ?? '',
};

const spent = Object.fromEntries(Object.keys(readers).map((name) => [name, new Map<string, number>()]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const page of pages) {
    for (const [name, read] of Object.entries(readers)) {
      const begun = performance.now();
      try {
        read(page.bytes);
      } catch (error) {
        if (name === 'ours') throw error;
      }
      const took = performance.now() - begun;
      // The first round warms up. Of the others the fastest counts, because other work only adds time.
      const best = spent[name]?.get(page.name) ?? Number.POSITIVE_INFINITY;
      if (round > 0) spent[name]?.set(page.name, Math.min(best, took));
    }
  }
}

const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;

console.log(
  `${pages.length} pages, best of ${ROUNDS} rounds, ms\n\n| reader | p50 | p95 | all |\n|---|---|---|---|`,
);
for (const [name, times] of Object.entries(spent)) {
  const all = [...times.values()];
  const sum = all.reduce((total, ms) => total + ms, 0);
  console.log(
    `| ${name} | ${quantile(all, 0.5).toFixed(2)} | ${quantile(all, 0.95).toFixed(2)} | ${sum.toFixed(0)} |`,
  );
}
const [ours = [], theirs = []] = Object.values(spent).map((times) => [...times.values()]);
const over = (q: number) => quantile(ours, q) / quantile(theirs, q);
figure('reading a page, the median', over(0.5));
figure('reading a page, the slowest twentieth', over(0.95));
