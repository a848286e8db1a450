import fc from 'fast-check';
import type { Coverage } from './coverage.ts';
import { checkGrowth, grown, somePart } from './growth.ts';
import { mutate } from './mutate.ts';
import { type Random, randomFrom } from './random.ts';
import { shrink } from './shrink.ts';
import { Broken, type Target } from './target.ts';

export interface Order {
  readonly seed: number;
  /** Inputs kept from before, tried first. */
  readonly corpus: readonly string[];
  /** Whether to go on after so many inputs. */
  goesOn(runs: number): boolean;
  /** Without it nothing is learnt from where an input leads. */
  readonly coverage?: Coverage;
  /** A thread's own milliseconds, to see time that no block counts. */
  readonly clock?: () => number;
  /** Told of each input before it is tried, for whoever watches. */
  about?(input: string): void;
}

export interface Failure {
  readonly property: string;
  readonly message: string;
  /** As small as it could be made. */
  readonly input: string;
}

export interface Report {
  readonly runs: number;
  /** Blocks of the product that any input reached. */
  readonly blocks: number;
  /** Inputs that reached a block that none before them had, each with all it reached. */
  readonly found: readonly { readonly input: string; readonly blocks: readonly string[] }[];
  readonly failure?: Failure;
}

const FIRST_BATCH = 32;
const LARGEST_BATCH = 2_048;
/** One input in so many is not a mutation of a kept one but a new one of the grammar. */
const NEW_ONE_IN = 3;

/** Feeds a target until it breaks or the time is over, and prefers inputs that led somewhere new. */
export async function fuzz(target: Target, order: Order): Promise<Report> {
  const { corpus, coverage, about, goesOn, clock } = order;
  const random = randomFrom(order.seed);
  const pool = [...new Set([...target.seeds, ...corpus])];
  const grammar = grammarOf(target, random);
  const seen = new Set<string>();
  const found: { input: string; blocks: readonly string[] }[] = [];
  let runs = 0;

  const attempt = async (input: string): Promise<void> => {
    about?.(input);
    runs++;
    await target.check(input);
  };
  /** Tries one alone to see where it leads. */
  const explore = async (input: string): Promise<boolean> => {
    await attempt(input);
    const { blocks } = coverage?.take() ?? { blocks: [] };
    const isNew = blocks.some((block) => !seen.has(block));
    if (isNew) found.push({ input, blocks });
    for (const block of blocks) seen.add(block);
    return isNew;
  };
  const report = (failure?: Failure): Report => {
    return { runs, blocks: seen.size, found, ...(failure ? { failure } : {}) };
  };

  let last = '';
  let grow: ((input: string) => Promise<void>) | undefined;
  try {
    coverage?.take();
    for (const input of pool) {
      last = input;
      await explore(input);
    }
    const material = { pool, words: target.words ?? [], isBinary: target.isBinary === true };
    let size = FIRST_BATCH;
    while (goesOn(runs)) {
      const batch: string[] = [];
      coverage?.take();
      for (let i = 0; i < size && goesOn(runs); i++) {
        const isNew = random.below(NEW_ONE_IN) === 0;
        const input = isNew ? grammar() : mutate(random.pick(pool) ?? '', random, material);
        last = input;
        batch.push(input);
        await attempt(input);
      }
      if (!coverage) continue;
      const reached = coverage.take().blocks;
      size = Math.min(size * 2, LARGEST_BATCH);
      if (reached.some((block) => !seen.has(block))) {
        size = FIRST_BATCH;
        for (const input of batch) if (await explore(input)) pool.push(input);
      }
      // Some code runs once only, whoever comes first.
      for (const block of reached) seen.add(block);
      last = random.pick(pool) ?? '';
      const part = somePart(last, random);
      grow = (input) => checkGrowth(target, input, part, coverage, clock);
      about?.(grown(last, part, 64));
      await grow(last);
      grow = undefined;
    }
    return report();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return report(await failureOf(target, last, error, grow));
  }
}

/** Inputs of the grammar, other ones for every seed. */
function grammarOf({ grammar }: Target, random: Random): () => string {
  let ready: string[] = [];
  return () => {
    if (ready.length === 0) ready = fc.sample(grammar, { seed: random.below(2 ** 31), numRuns: 50 });
    return ready.pop() ?? '';
  };
}

async function failureOf(
  target: Target,
  input: string,
  { property, message }: Broken,
  grow?: (input: string) => Promise<void>,
): Promise<Failure> {
  // What is slow is shown as it is: cutting at it would take as long again for every cut.
  if (grow) return { property, message, input };
  let said = message;
  const smallest = await shrink(input, async (smaller) => {
    try {
      await target.check(smaller);
      return false;
    } catch (error) {
      if (!(error instanceof Broken) || error.property !== property) return false;
      said = error.message;
      return true;
    }
  });
  return { property, message: said, input: smallest };
}
