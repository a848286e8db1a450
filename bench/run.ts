import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs every bench, or the ones that are named: `npm run bench -- gate`. With `--runs 5`, `http` starts everything five
 * times and gives the range.
 */
const benches = [
  'start',
  'http',
  'gate',
  'memory',
  'mirror',
  'files',
  'verify',
  'link',
  'terminals',
  'read',
  'steps',
  'cost',
  'first-push',
];

const { values, positionals: asked } = parseArgs({
  options: { runs: { type: 'string' } },
  allowPositionals: true,
});
if (values.runs !== undefined && !/^[1-9]\d?$/.test(values.runs)) {
  console.error('--runs takes a number from 1 to 99.');
  process.exit(2);
}
const env = { ...process.env, ...(values.runs === undefined ? {} : { BENCH_RUNS: values.runs }) };
const unknown = asked.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. There are: ${benches.join(', ')}.`);
  process.exit(2);
}
for (const name of benches) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n## ${name}\n`);
  const { status } = spawnSync('node', [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
