import { parseArgs } from 'node:util';
import { FAULTS } from '../test/soak/faults.ts';
import { runAndReport } from '../test/soak/run.ts';

/**
 * Uses everything at once while breaking parts of it, then checks that nothing was lost, done twice or left running:
 * `--minutes 30`, and `--seed 42` to send and break the same again.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Keeps all files afterwards, to look at them. */
    keep: { type: 'boolean', default: false },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0 && minutes <= 600 && Number.isInteger(seed) && seed >= 0)) {
  console.error('--minutes is a number up to 600, and --seed a whole one.');
  process.exit(2);
}
const isWell = await runAndReport({
  ...{ command: 'npm run soak --', seed, minutes, keep: values.keep },
  ...{ faults: FAULTS, most: Number.POSITIVE_INFINITY, pauseMs: minutes > 1 ? 6_000 : 900 },
});
if (!isWell) process.exitCode = 1;
