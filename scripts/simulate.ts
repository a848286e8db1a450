import { parseArgs } from 'node:util';
import { type Broken, RULES } from '../test/simulator/broken.ts';
import { simulate } from '../test/simulator/simulate.ts';

/**
 * Runs the link through seeded storms: `--seeds 1000000` for many, `--seed 42` to repeat one, and `--break unsynced`
 * to break a rule.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    break: { type: 'string' },
  },
});
const broken = brokenRule(values.break);
if (values.seed !== undefined) {
  const { trace, violations } = simulate(Number(values.seed), broken);
  console.log(trace.join('\n'));
  end(Number(values.seed), violations);
  console.log('No promise was broken.');
} else {
  const [from, seeds] = [Number(values.from), Number(values.seeds)];
  const began = performance.now();
  for (let seed = from; seed < from + seeds; seed++) {
    end(seed, simulate(seed, broken).violations);
    if ((seed - from + 1) % 10_000 === 0) {
      const seconds = (performance.now() - began) / 1_000;
      const megabytes = process.memoryUsage.rss() / 1_048_576;
      console.log(`${seed - from + 1} seeds, ${seconds.toFixed(0)} s, ${megabytes.toFixed(0)} MB`);
    }
  }
  console.log(`${seeds} seeds from ${from}: no promise was broken.`);
}

function end(seed: number, violations: readonly string[]): void {
  if (violations.length === 0) return;
  console.error(`Seed ${seed}:\n  ${violations.join('\n  ')}`);
  const again = broken === undefined ? '' : ` --break ${broken}`;
  console.error(`To see it again: node scripts/simulate.ts --seed ${seed}${again}`);
  process.exit(1);
}

function brokenRule(name: string | undefined): Broken | undefined {
  const known = Object.values(RULES).find((rule) => rule === name);
  if (name === undefined || known !== undefined) return known;
  console.error(`No rule is called ${name}. There are: ${Object.values(RULES).join(', ')}.`);
  process.exit(2);
}
