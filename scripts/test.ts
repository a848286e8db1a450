import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { keepBuilds } from '../test/support/kept-builds.ts';

/** The parts of the tests. Each can be named to run alone. */
const parts: Record<string, string[][]> = {
  types: [
    ['biome', 'ci', '--error-on-warnings', '.'],
    ['tsc', '-p', 'tsconfig.json'],
    ['tsc', '-p', 'src/console/tsconfig.json'],
    ['tsc', '-p', 'src/console/tsconfig.service-worker.json'],
    ['tsc', '-p', 'local-bridge/tsconfig.json'],
    ['tsc', '-p', 'test/tsconfig.json'],
    ['tsc', '-p', 'test/worker/tsconfig.json'],
    ['tsc', '-p', 'test/fixtures/tsconfig.json'],
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
  // The tests that repeat one attack, with far more cases than `npm test` tries.
  length: [['vitest', 'run', '--project', 'node', '--project', 'worker', ...testsWith('AT_LENGTH')]],
  coverage: [['node', 'scripts/coverage.ts', '--check']],
  soak: [['node', 'scripts/soak.ts', '--minutes', '1', '--seed', '5']],
  // The tests that the files changed since the last commit can have broken.
  changed: [
    ['biome', 'check', '--changed', '--no-errors-on-unmatched', '--since=HEAD'],
    ['vitest', 'run', '--changed', '--passWithNoTests', '--project', 'node', '--project', 'worker'],
  ],
};

/** The parts that `npm test` runs, in this order. `npm run proof` runs what takes longer and finds less. */
const USUAL = ['types', 'unit', 'suite', 'e2e', 'browser', 'conformance'];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const asked = named.length > 0 ? named : USUAL;

/** Tells whether the tests record which lines they ran, for the part `coverage`. */
if (process.env.COVERAGE === '1') {
  rmSync('coverage', { recursive: true, force: true });
  parts.unit?.[0]?.push('--coverage');
}

keepBuilds(process.env);

/** Lists the test files that hold a word. */
function testsWith(word: string): string[] {
  return globSync('test/{node,worker}/**/*.test.ts').filter((file) =>
    readFileSync(file, 'utf8').includes(word),
  );
}

const took: string[] = [];
for (const name of asked) {
  const start = Date.now();
  for (const [command = '', ...args] of parts[name] ?? []) {
    console.log(`\n▸ ${name} (${took.length + 1} of ${asked.length}): ${command} ${args.join(' ')}`);
    const env = name === 'length' ? { ...process.env, VITE_AT_LENGTH: '1' } : process.env;
    const { status } = spawnSync(command, args, { stdio: 'inherit', env });
    if (status === 0) continue;
    console.error(`\n✗ ${[...took, `${name} failed`].join(' · ')}. Run it alone: npm run test:${name}`);
    process.exit(status ?? 1);
  }
  took.push(`${name} ${Math.round((Date.now() - start) / 1000)} s`);
}
console.log(`\n✓ ${took.join(' · ')}`);
