import { parseArgs } from 'node:util';
import { check } from '../test/soak/checker.ts';
import { gather } from '../test/soak/evidence.ts';
import { breakThings, FAULT_KINDS } from '../test/soak/faults.ts';
import type { Fault, Violation } from '../test/soak/history.ts';
import { startLoad } from '../test/soak/load.ts';
import { startOwner } from '../test/soak/owner.ts';
import { memoryOf, ownProcesses } from '../test/soak/processes.ts';
import { type Product, startProduct } from '../test/soak/product.ts';
import { randomFrom } from '../test/soak/random.ts';
import { checkMemory, type Run, reportOf, violationsOf } from '../test/soak/report.ts';

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
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
console.log(`Seed ${seed}, ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`);
/** The time at the end for the last broken part to recover. */
const MENDING_MS = 8_000;
const started = Date.now();
const violations: Violation[] = [];
const product = await startProduct({
  seed,
  keep: values.keep,
  died: (what) => violations.push({ kind: 'process', what, at: Date.now() }),
});
const began = Date.now();
/**
 * The time to start counts too, because somebody waits for the end. The load still gets at least half of the time.
 */
const until = Math.max(started + minutes * 60_000, began + minutes * 30_000) - MENDING_MS;
try {
  const run = await soak(product);
  console.log(reportOf(run));
  if (run.violations.length > 0) {
    console.error(`\n${violationsOf(run)}`);
    process.exitCode = 1;
  }
} finally {
  await product.stop();
  if (values.keep) console.log(`Everything is in ${product.base}.`);
}

async function soak(product: Product): Promise<Run> {
  const memoryNow = () => memoryOf(ownProcesses(product.mark, product.base));
  const start = memoryNow();
  const owner = startOwner(product.owner);
  const load = startLoad(product, seed);
  const faults: Fault[] = [];
  const scene = {
    product,
    load,
    owner,
    random: randomFrom(seed, 'faults'),
    pauseMs: minutes > 1 ? 6_000 : 900,
  };
  const told = (fault: Fault) => {
    faults.push(fault);
    if (minutes > 1)
      console.log(`${((fault.at - began) / 1_000).toFixed(0)} s: ${fault.kind}; ${load.calls.length} calls`);
  };
  const notMended = (error: unknown) => {
    const what = `What was broken did not recover: ${error instanceof Error ? error.message : error}`;
    violations.push({ kind: 'process', what, at: Date.now() });
  };
  await breakThings(scene, until, told).catch(notMended);
  await load.stop();
  await owner.stop();
  const end = memoryNow();
  const happened = { calls: load.calls, faults, approved: owner.approved };
  const found = await gather(product, happened).then(check, notMended);
  violations.push(...(found ?? []), ...load.wrong, ...checkMemory(start, end, minutes));
  return {
    seed,
    began,
    calls: load.calls,
    faults,
    faultKinds: FAULT_KINDS,
    violations,
    memory: { start, end },
  };
}
