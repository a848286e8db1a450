import fc from 'fast-check';
import { startCoverage } from './coverage.ts';
import { checkGrowth, type Work, work } from './growth.ts';
import { Broken, target } from './target.ts';

/** What was counted of a toy that is known to be linear, or square, in the length of its input. */
export interface Counted {
  readonly name: string;
  /** For an input of 64 characters, then for each that is twice as long as the one before. */
  readonly steps: readonly number[];
  /** The property that was found not to hold. */
  readonly broken?: string;
}

/** A program, since only a process of its own counts the same on every machine, however busy. It prints `Counted[]`. */
const coverage = startCoverage();
const { overlap } = await import('../../src/transcript/words.ts');

const call = (times: number) => {
  // V8 would optimise these calls within a second, and so lose count of them.
  for (let i = 0; i < times; i++) overlap('one', 'two three');
};
const toys = {
  linear: (input: string) => call(input.length),
  square: (input: string) => call((input.length / 64) ** 2),
  'square in one block': (input: string) => {
    for (let i = 0; i < input.length; i += 64) overlap('a '.repeat(input.length / 64), 'a');
  },
};
const counted: Counted[] = [];
for (const [name, parse] of Object.entries(toys)) {
  const toy = target({ name, seeds: [], grammar: fc.string(), parse, properties: {} });
  const steps: Work['steps'][] = [];
  for (let length = 64; length <= 16_384; length *= 2) {
    steps.push((await work(toy, 'a'.repeat(length), coverage)).steps);
  }
  try {
    await checkGrowth(toy, 'aaaa', { from: 0, to: 4 }, coverage);
    counted.push({ name, steps });
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    counted.push({ name, steps, broken: error.property });
  }
}
console.log(JSON.stringify(counted));
