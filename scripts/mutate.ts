import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importsOf } from '../test/support/architecture.ts';

/**
 * Breaks the pure rules of the gate in every small way and checks whether the tests notice: `mutate.ts [file…]`, or
 * all of `MUTATED`. See docs/mutation.md.
 */
const MUTATED = ['src/gate/rules/{policy,rule,argv}*.ts', 'src/core/approval.ts'];
const TESTS = ['test/node/core/{policy,rule,argv,approval}*.test.ts'];

/** The lowest score that passes. */
const LEAST_SCORE = 90;

/** Stryker is not a dependency of the project: it brings its own compiler, and is rarely needed. */
const STRYKER = { '@stryker-mutator/core': '10.1.1', '@stryker-mutator/vitest-runner': '10.1.1' };
const SHARED = ['vitest', 'fast-check', 'canonicalize', 're2js', 'zod'];

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..');
const found = (patterns: readonly string[]) => globSync([...patterns], { cwd: root });
const asked = process.argv.slice(2);
const mutated = asked.length > 0 ? found(asked) : found(MUTATED);
if (mutated.length === 0) {
  console.error('Usage: node scripts/mutate.ts [src/gate/rules/file.ts …]');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'bowline-mutate-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

for (const path of ['tsconfig.base.json', ...withImports([...mutated, ...found(TESTS)])]) {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  cpSync(join(root, path), join(folder, path));
}
writeJson('package.json', { private: true, type: 'module', dependencies: { ...pinned(), ...STRYKER } });
writeJson('stryker.config.json', {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: mutated,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
  concurrency: availableParallelism(),
  thresholds: { high: 100, low: LEAST_SCORE, break: LEAST_SCORE },
});
writeFileSync(
  join(folder, 'vitest.config.mjs'),
  `export default { test: { include: ['test/node/**/*.test.ts'], testTimeout: 30_000 } };\n`,
);

run('npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error');
process.exitCode = run('npx', 'stryker', 'run');

/** Lists files with everything of the project that they import. */
function withImports(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  // The set grows meanwhile, and what is added is looked at too.
  for (const path of all) {
    for (const { specifier, typeOnly } of importsOf(readFileSync(join(root, path), 'utf8'))) {
      if (specifier.startsWith('.') && !typeOnly) all.add(join(dirname(path), specifier));
    }
  }
  return [...all];
}

function pinned(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const versions = { ...manifest.dependencies, ...manifest.devDependencies };
  return Object.fromEntries(SHARED.map((name) => [name, versions[name] ?? '*']));
}

function writeJson(name: string, content: object): void {
  writeFileSync(join(folder, name), JSON.stringify(content, null, 2));
}

function run(command: string, ...args: readonly string[]): number {
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0 && command === 'npm') process.exit(status ?? 1);
  return status ?? 1;
}
