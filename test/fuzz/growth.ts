import type { Coverage } from './coverage.ts';
import type { Random } from './random.ts';
import { Broken, type Target } from './target.ts';

/** The property of every target that has to do with time. */
export const GROWS = 'does not work harder than its input grows';

/** Work for twice the input, twice over: 4 if it grows as the input does, 16 with its square. */
const MOST = 9;
/** Less work than this says nothing, nor does work that only begins at some length. */
const LEAST = { steps: 20_000, ms: 60, before: { steps: 1_000, ms: 1 } } as const;
const LARGEST = 128 * 1024;

/** Which part of an input is repeated; all of it, if left out. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

export function somePart(input: string, random: Random): Part {
  const from = random.below(input.length);
  return { from, to: from + 1 + random.below(Math.min(input.length - from, 200)) };
}

/** An input with one part of it many times over. */
export function grown(input: string, { from, to }: Part, times: number): string {
  return input.slice(0, from) + input.slice(from, to).repeat(times) + input.slice(to);
}

/**
 * Compares the work on an input whose part is repeated with that on one four times as long: by the blocks that
 * run, and, with a clock to look at, by the time of what is not counted so, such as regular expressions.
 */
export async function checkGrowth(
  target: Target,
  input: string,
  part: Part,
  coverage: Coverage,
  clock?: () => number,
): Promise<void> {
  if (target.growsBecause !== undefined || part.to <= part.from) return;
  const most = Math.floor((LARGEST - input.length) / (part.to - part.from));
  const times = Math.min(4_096, most - (most % 4));
  if (times < 32) return;
  const small = grown(input, part, times / 4);
  const large = grown(input, part, times);
  const before = await work(target, small, coverage, clock);
  const after = await work(target, large, coverage, clock);
  const size = large.length / small.length;
  const tooMuch = (what: 'steps' | 'ms', less: Work, more: Work) =>
    more[what] > LEAST[what] &&
    less[what] > LEAST.before[what] &&
    more[what] > less[what] * MOST * (size / 4);
  if (tooMuch('steps', before, after)) {
    throw new Broken(GROWS, `${size.toFixed(1)} times the input, ${before.steps} steps, then ${after.steps}`);
  }
  if (!tooMuch('ms', before, after)) return;
  // Once more, since anything may have held it up.
  const again = await work(target, large, coverage, clock);
  const fair = await work(target, small, coverage, clock);
  if (tooMuch('ms', fair, again)) {
    const took = `${fair.ms.toFixed(1)} ms, then ${again.ms.toFixed(1)} ms`;
    throw new Broken(GROWS, `${size.toFixed(1)} times the input, ${took}`);
  }
}

export interface Work {
  readonly steps: number;
  readonly ms: number;
}

/** What one run of a target takes. */
export async function work(
  target: Pick<Target, 'run'>,
  input: string,
  coverage: Coverage,
  clock: () => number = () => 0,
): Promise<Work> {
  coverage.take();
  const began = clock();
  await target.run(input);
  const ms = clock() - began;
  return { ms, steps: coverage.take().steps };
}
