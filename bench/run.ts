import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs every bench, or the ones that are named: `npm run bench -- gate`. */
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

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. There are: ${benches.join(', ')}.`);
  process.exit(2);
}
for (const name of benches) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n## ${name}\n`);
  const { status } = spawnSync('node', [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
