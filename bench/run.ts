import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure } from './support/figures.ts';
import { renewRows, rowsNotMeasured } from './support/rows.ts';

/**
 * Runs every bench, or the ones that are named: `npm run bench -- gate`; `all` stands for those with rows in
 * docs/performance.md. At the end it prints these rows; `--runs 5` runs each five times and gives the middle and the
 * range, and `--write` puts them into the page and draws its chart anew.
 */

/** How a bench is repeated, and what makes a run shorter when several are run. */
interface Part {
  /** It makes something large once, or many things, so it repeats the measuring itself. */
  readonly repeatsItself?: true;
  readonly hasNoRows?: true;
  readonly whenRepeated?: Readonly<Record<string, string>>;
}

const PARTS: Readonly<Record<string, Part>> = {
  start: { repeatsItself: true, whenRepeated: { BENCH_ROUNDS: '10' } },
  cli: {},
  http: { repeatsItself: true },
  gate: { whenRepeated: { BENCH_REQUESTS: '500', BENCH_ROUNDS: '4' } },
  memory: { whenRepeated: { BENCH_REQUESTS: '400', BENCH_ROUNDS: '4' } },
  mirror: { repeatsItself: true, whenRepeated: { BENCH_ROUNDS: '9' } },
  files: { repeatsItself: true, whenRepeated: { BENCH_ROUNDS: '3' } },
  verify: { hasNoRows: true },
  link: {},
  terminals: { whenRepeated: { BENCH_ROUNDS: '30' } },
  read: {},
  steps: { hasNoRows: true },
  cost: { hasNoRows: true },
  'first-push': { hasNoRows: true },
};

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string' }, write: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.runs !== undefined && !/^[1-9]\d?$/.test(values.runs))
  refuse('--runs takes a number from 1 to 99.');
const unknown = positionals.filter((name) => name !== 'all' && !Object.hasOwn(PARTS, name));
if (unknown.length > 0)
  refuse(`No such bench: ${unknown.join(', ')}. There are: all, ${Object.keys(PARTS).join(', ')}.`);
const runs = Number(values.runs ?? 1);
const asked = Object.entries(PARTS).filter(
  ([name, { hasNoRows }]) =>
    positionals.length === 0 || positionals.includes(name) || (positionals.includes('all') && !hasNoRows),
);

const pagePath = join(import.meta.dirname, '..', 'docs', 'performance.md');
const folder = mkdtempSync(join(tmpdir(), 'bowline-bench-figures-'));
const figures: Figure[] = [];
const troubles: string[] = [];
const minutes: string[] = [];
for (const [name, part] of asked) {
  console.log(`\n## ${name}\n`);
  const began = performance.now();
  const times = part.repeatsItself ? 1 : runs;
  for (let run = 1; run <= times; run++) {
    if (times > 1) console.error(`Run ${run} of ${times}`);
    // A run that fails takes neither the other parts nor its own figures with it: it is tried once more.
    const found = oneRun(name, part) ?? oneRun(name, part);
    if (found) figures.push(...found);
    else troubles.push(`A run of ${name} failed twice.`);
  }
  minutes.push(`${name} ${((performance.now() - began) / 60_000).toFixed(1)}`);
}
rmSync(folder, { recursive: true, force: true });

const page = readFileSync(pagePath, 'utf8');
const renewed = renewRows(page, figures);
for (const what of renewed.homeless) troubles.push(`docs/performance.md has no cell for: ${what}`);
for (const [name] of asked)
  for (const work of rowsNotMeasured(page, name, figures))
    troubles.push(`${name} measured nothing for: ${work}`);
if (renewed.rows.length > 0) console.log(`\nThe rows of docs/performance.md:\n\n${renewed.rows.join('\n')}`);
console.log(`\nMinutes: ${minutes.join(', ')}`);
if (values.write) {
  writeFileSync(pagePath, renewed.page);
  spawnSync('node', [join(import.meta.dirname, '..', 'scripts', 'performance-chart.ts')], {
    stdio: 'inherit',
  });
}
for (const trouble of troubles) console.error(trouble);
if (troubles.length > 0) process.exitCode = 1;

/** Runs a bench once, and gives what it noted, or nothing if it failed. */
function oneRun(name: string, { repeatsItself, whenRepeated }: Part): Figure[] | undefined {
  const noted = join(folder, 'figures.jsonl');
  rmSync(noted, { force: true });
  const env = {
    ...(runs > 1 ? whenRepeated : {}),
    ...process.env,
    BENCH_FIGURES: noted,
    BENCH_RUNS: String(repeatsItself ? runs : 1),
  };
  const { status } = spawnSync('node', [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit', env });
  if (status !== 0) return undefined;
  const lines = existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : [];
  return lines.map((line): Figure => JSON.parse(line));
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}
