import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** What `npm test` runs, in this order; each part can be named to run alone. */
const parts: Record<string, string[][]> = {
  types: [
    ['biome', 'ci', '--error-on-warnings', '.'],
    ['tsc', '-p', 'tsconfig.json'],
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
  coverage: [['node', 'scripts/coverage.ts', '--check']],
  soak: [['node', 'scripts/soak.ts', '--minutes', '1', '--seed', '5']],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
/** Whether the parts leave which lines they ran; a part that runs alone does not. */
const counts = asked.length === 0 || process.env.COVERAGE === '1';
if (counts) {
  process.env.COVERAGE = '1';
  rmSync('coverage', { recursive: true, force: true });
  parts.unit?.[0]?.push('--coverage');
}
for (const [name, commands] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const [command = '', ...args] of commands) {
    console.log(`\n▸ ${name}: ${command} ${args.join(' ')}`);
    const { status } = spawnSync(command, args, { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
}
