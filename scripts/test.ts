import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { keepBuilds } from '../test/support/kept-builds.ts';
import { buildShared } from '../test/support/shared-build.ts';
import { changedFiles } from './changed-files.ts';

/** Several checkers of TypeScript work out the same types each for itself, and take twice the processor time of one. */
const ONE_CHECKER = '1';

/** The parts of the tests. Each can be named to run alone. */
const parts: Record<string, string[][]> = {
  types: [
    ['biome', 'ci', '--error-on-warnings', '.'],
    // The Worker with its fixtures, its pages, everything that Node runs, and the tests inside workerd.
    ...[
      'tsconfig.json',
      'src/console/tsconfig.json',
      'src/console/tsconfig.service-worker.json',
      'test/tsconfig.json',
      'test/worker/tsconfig.json',
    ].map((path) => ['tsc', '--checkers', ONE_CHECKER, '-p', path]),
    ['node', 'scripts/generate.ts', '--check'],
  ],
  unit: [['vitest', 'run', '--project', 'node', '--project', 'worker']],
  suite: [['vitest', 'run', '--project', 'suite']],
  e2e: [['vitest', 'run', '--project', 'e2e']],
  browser: [['vitest', 'run', '--project', 'browser']],
  conformance: [
    ['node', 'scripts/conformance.ts'],
    ['node', 'scripts/conformance-auth.ts'],
  ],
  // Tests that try few cases in `npm test`, with all of them.
  length: [
    ['vitest', 'run', ...projects('node', 'worker', 'e2e'), ...testsAtLength('node', 'worker', 'e2e')],
    // Each in a run of its own: Vitest refuses projects with different numbers of workers side by side.
    ['vitest', 'run', ...projects('suite'), ...testsAtLength('suite')],
    ['vitest', 'run', ...projects('browser'), ...testsAtLength('browser')],
  ],
  coverage: [['node', 'scripts/coverage.ts', '--check']],
  soak: [['node', 'scripts/soak.ts', '--minutes', '1', '--seed', '5']],
  chaos: [['node', 'scripts/chaos.ts', '--minutes', '3', '--faults', '24', '--seed', '3']],
  // Tests that the files changed since the last commit may have broken.
  changed: [
    ['biome', 'check', '--changed', '--no-errors-on-unmatched', '--since=HEAD'],
    ['vitest', 'related', '--run', '--passWithNoTests', '--project', 'node', '--project', 'worker'],
  ],
};

/**
 * The parts that `npm test` runs: lanes side by side, each in its order. The first lane keeps a core busy; the others wait
 * for programs most of the time. `npm run proof` runs what takes longer and finds less.
 */
const USUAL = [['types', 'unit'], ['e2e'], ['suite', 'browser', 'conformance']];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const lanes = named.length > 0 ? [named] : USUAL;
/** The parts that start the product. Side by side, they wait until its Worker is built once for all. */
const STARTING = new Set(['suite', 'e2e', 'browser', 'conformance']);

if (named.includes('changed')) parts.changed?.at(-1)?.push(...changedFiles(join(import.meta.dirname, '..')));

// A whole run tries a test that fails once more, and names it at the end: under its load a test may fail for a race that
// no run alone shows, and one of twelve thousand would hide what all others say.
for (const name of named.length > 0 ? named.filter((one) => one === 'length') : USUAL.flat()) {
  for (const command of parts[name] ?? []) if (command[0] === 'vitest') command.push('--retry=1');
}

/** Tells whether the tests record which lines they ran, for the part `coverage`. */
if (process.env.COVERAGE === '1') {
  rmSync('coverage', { recursive: true, force: true });
  parts.unit?.[0]?.push('--coverage');
}

keepBuilds(process.env);

/** Names Vitest's projects. */
function projects(...names: string[]): string[] {
  return names.flatMap((name) => ['--project', name]);
}

/** Lists the test files of projects that try more at length, by themselves or by what they share. */
function testsAtLength(...names: string[]): string[] {
  const textOf = (file: string) => readFileSync(file, 'utf8');
  const shared = globSync('test/{support,browser}/*.ts', { exclude: ['**/*.test.ts'] });
  const asking = shared.filter((file) => textOf(file).includes('AT_LENGTH'));
  const imports = asking.map((file) => `/${basename(file)}'`);
  return globSync(names.map((name) => `test/${name}/**/*.test.ts`)).filter((file) => {
    const text = textOf(file);
    return imports.some((one) => text.includes(one));
  });
}

/** How much of a failed part is printed again at the end, where the other parts no longer hide it. */
const LAST_LINES = 80;

const took: string[] = [];
let failed: { readonly name: string; readonly last: readonly string[] } | undefined;

/**
 * Runs a command of a part. Gives its exit code and the last lines it printed. If another lane runs too, each line
 * begins with the part's name; alone, a part prints for itself.
 */
async function run(name: string, [command = '', ...args]: string[], isAlone: boolean) {
  const env = {
    ...process.env,
    ...(name === 'length' ? { VITE_AT_LENGTH: '1' } : {}),
    ...(isAlone ? {} : { TESTS_SIDE_BY_SIDE: '1' }),
  };
  const output = isAlone ? 'inherit' : 'pipe';
  const child = spawn(command, args, { env, stdio: ['inherit', output, output] });
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      console.log(`${name} │ ${line}`);
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, last };
}

/** Runs parts one after the other, until one fails here or in another lane. */
async function runLane(names: readonly string[], isAlone: boolean): Promise<void> {
  for (const name of names) {
    if (STARTING.has(name)) await isBuilt;
    const start = Date.now();
    for (const command of parts[name] ?? []) {
      if (failed) return;
      console.log(`\n▸ ${name}: ${command.join(' ')}`);
      const { code, last } = await run(name, command, isAlone);
      if (code === 0) continue;
      failed ??= { name, last };
      return;
    }
    took.push(`${name} ${Math.round((Date.now() - start) / 1000)} s`);
  }
}

const isBuilt = lanes.length > 1 ? buildShared() : undefined;
await Promise.all(lanes.map((names) => runLane(names, lanes.length === 1)));
if (failed) {
  const { name, last } = failed;
  if (last.length > 0) console.error(`\n▸ the end of ${name}, which failed:\n${last.join('\n')}`);
  console.error(`\n✗ ${[...took, `${name} failed`].join(' · ')}. Run it alone: npm run test:${name}`);
  process.exit(1);
}
console.log(`\n✓ ${took.join(' · ')}`);
