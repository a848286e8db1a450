import { parseArgs } from 'node:util';
import { CHAOS_FAULTS, forbid, stillForbidden } from '../test/soak/chaos-faults.ts';
import { runAndReport } from '../test/soak/run.ts';

/**
 * Breaks the product in every way that docs/faults.md speaks of, as often as the time allows, and checks what a soak
 * checks: `--minutes 60`, `--faults 200` to end after so many, `--only 'folder copied,second bridge'` for some kinds,
 * and `--seed 42` to send and break the same again.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    faults: { type: 'string', default: '100000' },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Keeps all files afterwards, to look at them. */
    keep: { type: 'boolean', default: false },
  },
});
const [minutes, most, seed] = [Number(values.minutes), Number(values.faults), Number(values.seed)];
const isWhole = [most, seed].every((number) => Number.isInteger(number) && number >= 0);
if (!(minutes > 0 && minutes <= 600 && isWhole)) {
  console.error('--minutes is a number up to 600, --faults and --seed are whole ones.');
  process.exit(2);
}
const only = values.only?.split(',').map((kind) => kind.trim());
const unknown = only?.filter((kind) => !(kind in CHAOS_FAULTS)) ?? [];
if (unknown.length > 0) {
  console.error(`No such fault: ${unknown.join(', ')}. There are: ${Object.keys(CHAOS_FAULTS).join(', ')}.`);
  process.exit(2);
}
const faults = Object.fromEntries(
  Object.entries(CHAOS_FAULTS).filter(([kind]) => only === undefined || only.includes(kind)),
);
const isWell = await runAndReport({
  ...{ command: 'npm run chaos --', seed, minutes, keep: values.keep },
  ...{ faults, most, pauseMs: 700, hasDisk: true, hasClock: true, begin: forbid, held: stillForbidden },
});
if (!isWell) process.exitCode = 1;
