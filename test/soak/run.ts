import { check } from './checker.ts';
import { gather } from './evidence.ts';
import { breakThings, NEEDS_DISK, notMended, type Plan, type Scene } from './faults.ts';
import type { Fault, Violation } from './history.ts';
import { startLoad } from './load.ts';
import { startOwner } from './owner.ts';
import { type Product, startProduct } from './product.ts';
import { randomFrom } from './random.ts';
import { checkMemory, LONG_MINUTES, type Run, reportOf, violationsOf } from './report.ts';
import { inWords, letFree, watchMemory } from './watch-memory.ts';

interface RunOptions extends Omit<Plan, 'until' | 'held'> {
  /** The command that sends the same again, without its seed. */
  readonly command: string;
  readonly seed: number;
  readonly minutes: number;
  /** Leaves all files. */
  readonly keep: boolean;
  /** Gives the gateway a disk of its own, where the system lets this user. */
  readonly hasDisk?: boolean;
  /** Gives the gateway a clock that can be set. */
  readonly hasClock?: boolean;
  /** How long nothing is broken at most, between one fault and the next. */
  readonly pauseMs: number;
  /** Is done once, before anything is broken. */
  begin?(product: Product): Promise<void>;
  held?(scene: Scene): Promise<void>;
}

/** The time at the end for the last broken part to recover. */
const MENDING_MS = 8_000;

/** Uses everything while breaking parts of it, checks what is left, and prints the report. Tells if all was well. */
export async function runAndReport(options: RunOptions): Promise<boolean> {
  const { command, seed, minutes, keep } = options;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  console.log(`Seed ${seed}, ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`);
  const started = Date.now();
  const violations: Violation[] = [];
  const product = await startProduct({
    ...{ seed, keep, hasDisk: options.hasDisk === true, hasClock: options.hasClock === true },
    died: (what) => violations.push({ kind: 'process', what, at: Date.now() }),
  });
  const began = Date.now();
  // The time to start counts too, because somebody waits for the end. The load still gets at least half of the time.
  const until = Math.max(started + minutes * 60_000, began + minutes * 30_000) - MENDING_MS;
  try {
    const run = await soak(product, options, { began, until, violations });
    console.log(reportOf(run));
    if (run.violations.length === 0) return true;
    console.error(`\n${violationsOf(run, command)}`);
    return false;
  } finally {
    await product.stop();
    if (keep) console.log(`Everything is in ${product.base}.`);
  }
}

interface Course {
  readonly began: number;
  readonly until: number;
  readonly violations: Violation[];
}

async function soak(
  product: Product,
  options: RunOptions,
  { began, until, violations }: Course,
): Promise<Run> {
  const { seed, minutes, most, pauseMs, begin, held } = options;
  const possible = Object.entries(options.faults).filter(
    ([kind]) => kind !== NEEDS_DISK || product.gatewayDisk !== undefined,
  );
  if (possible.length === 0) throw new Error(`This system lets nobody mount what “${NEEDS_DISK}” needs.`);
  const kinds = Object.fromEntries(possible);
  const memory = watchMemory(product);
  await begin?.(product);
  const owner = startOwner(product.owner);
  const load = startLoad(product, seed);
  const faults: Fault[] = [];
  const told = (fault: Fault) => {
    faults.push(fault);
    if (minutes <= 1) return;
    const seconds = ((fault.at - began) / 1_000).toFixed(0);
    console.log(`${seconds} s: ${fault.kind}; ${load.calls.length} calls; ${inWords(memory.now())}`);
  };
  const note = (error: unknown) => void violations.push(notMended(error));
  const scene = { product, load, owner, random: randomFrom(seed, 'faults'), pauseMs };
  await breakThings(scene, { faults: kinds, until, most, ...(held ? { held } : {}) }, told).catch(note);
  await load.stop();
  await owner.stop();
  if (minutes >= LONG_MINUTES) await letFree(product).catch(note);
  const end = memory.now();
  memory.stop();
  const used = { start: memory.start, end, most: memory.most };
  const happened = { calls: load.calls, faults, approved: owner.approved, seen: load.seen };
  const found = await gather(product, happened).then(check, note);
  violations.push(...(found ?? []), ...load.wrong, ...checkMemory(used, minutes));
  return {
    ...{ seed, began, calls: load.calls, faults, violations },
    faultKinds: Object.keys(kinds),
    memory: used,
  };
}
