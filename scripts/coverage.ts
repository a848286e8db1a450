import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Lines, linesRun } from './coverage-lines.ts';
import { filesOfTools } from './coverage-tools.ts';

/**
 * Measures how much of the code the tests run: in all, by folder and by tool. See docs/coverage.md. `coverage.ts` runs
 * the tests and puts the tables into that page. `--check` uses the data of an earlier counted run, and runs the tests
 * only if there is none or the code is newer. `--write` does the same and writes that page. `--lines <path>` lists what
 * did not run.
 */
const LEAST_PERCENT = 95;

const root = join(import.meta.dirname, '..');
const left = join(root, 'coverage');
const page = join(root, 'docs', 'coverage.md');

/** A part of the code, and how much of it ran. */
interface Share {
  readonly name: string;
  readonly lines: number;
  readonly run: number;
}

const [flag, path = ''] = process.argv.slice(2);
const takesWhatIsThere = flag === '--check' || flag === '--write';
if (flag === undefined || (takesWhatIsThere && !wasCounted())) runTests();
else if (!takesWhatIsThere && (flag !== '--lines' || path === '')) {
  console.error('Usage: node scripts/coverage.ts [--check | --write | --lines <path>]');
  process.exit(2);
}
const files = countedLines();
if (flag === '--lines') listNotRun();
else await report();

function runTests(): void {
  const { status } = spawnSync('node', [join(root, 'scripts', 'test.ts'), 'unit', 'suite', 'e2e'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, COVERAGE: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Tells whether there is a counted run of the present code. */
function wasCounted(): boolean {
  if (existsSync(join(left, 'vitest'))) return true;
  const kept = join(left, 'lines.json');
  if (!existsSync(kept)) return false;
  const counted = statSync(kept).mtimeMs;
  const code = globSync('{src,contracts,local-bridge}/**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  return code.every((path) => statSync(join(root, path)).mtimeMs < counted);
}

/** Sums up the data that the tests left. The data is close to a gigabyte, so only the sum is kept. */
function countedLines(): Map<string, Lines> {
  const kept = join(left, 'lines.json');
  if (existsSync(join(left, 'vitest'))) {
    const lines = linesRun(root, left);
    writeFileSync(kept, JSON.stringify([...lines].map(([name, of]) => [name, [...of]])));
    for (const raw of ['vitest', 'programs']) rmSync(join(left, raw), { recursive: true, force: true });
    return lines;
  }
  if (!existsSync(kept)) {
    console.error('Nothing was counted yet. `npm run coverage` runs the tests and counts.');
    process.exit(1);
  }
  const files = JSON.parse(readFileSync(kept, 'utf8')) as [string, [number, boolean][]][];
  return new Map(files.map(([name, of]) => [name, new Map(of)]));
}

async function report(): Promise<void> {
  const whole = shareOf('all', [...files.keys()]);
  const folders = [...Map.groupBy(files.keys(), folderOf)].map(([name, paths]) => shareOf(name, paths));
  const tools = [...(await filesOfTools(root))].map(([name, paths]) => shareOf(name, paths));
  const tables = [
    table('folder', [...folders.sort((a, b) => (a.name < b.name ? -1 : 1)), whole]),
    table('tool', tools),
  ].join('\n\n');
  console.log(tables);
  if (flag !== '--check') writePage(tables);
  const low = [whole, ...tools].filter(({ run, lines }) => run * 100 < lines * LEAST_PERCENT);
  if (low.length === 0) return;
  console.error(`\nBelow ${LEAST_PERCENT} % of lines: ${low.map(({ name }) => name).join(', ')}.`);
  console.error('`node scripts/coverage.ts --lines <path>` lists what did not run.');
  process.exitCode = 1;
}

function shareOf(name: string, paths: readonly string[]): Share {
  const all = paths.flatMap((path) => [...(files.get(path)?.values() ?? [])]);
  return { name, lines: all.length, run: all.filter(Boolean).length };
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 2).join('/');
}

/** Gives a percentage. It cuts instead of rounding, so that a shown 95 is never less. */
function percent({ lines, run }: Share): string {
  return `${(Math.floor((run * 1_000) / lines) / 10).toFixed(1)} %`;
}

function table(what: string, shares: readonly Share[]): string {
  const rows = shares
    .filter(({ lines }) => lines > 0)
    .map(
      (share) => `| \`${share.name}\` | ${share.lines} | ${share.lines - share.run} | ${percent(share)} |`,
    );
  return [`| ${what} | lines | not run | run |`, '|---|---|---|---|', ...rows].join('\n');
}

function writePage(tables: string): void {
  const [before, after] = ['<!-- measured -->', '<!-- end of measured -->'];
  const text = readFileSync(page, 'utf8');
  const [head = '', rest = ''] = text.split(before);
  const [, tail = ''] = rest.split(after);
  writeFileSync(page, `${head}${before}\n${tables}\n${after}${tail}`);
}

function listNotRun(): void {
  for (const [name, lines] of files) {
    const missed = name.startsWith(path) ? notRun(lines) : [];
    if (missed.length === 0) continue;
    const texts = readFileSync(join(root, name), 'utf8').split('\n');
    console.log(name);
    for (const line of missed) console.log(`${String(line).padStart(5)}  ${texts[line - 1]}`);
  }
}

function notRun(lines: Lines): number[] {
  return [...lines]
    .filter(([, hasRun]) => !hasRun)
    .map(([line]) => line)
    .sort((a, b) => a - b);
}
