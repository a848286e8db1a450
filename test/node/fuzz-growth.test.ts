import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Counted } from '../fuzz/count-toys.ts';
import { COUNTING_FLAGS } from '../fuzz/coverage.ts';
import { GROWS } from '../fuzz/growth.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Counts in a process of its own, which nothing else shares. */
async function countToys(flags: readonly string[]): Promise<readonly Counted[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, 'test/fuzz/count-toys.ts'], {
    cwd: root,
    // Node's own count of lines would take the counts away, and lose its own.
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  return JSON.parse(stdout) as Counted[];
}

it('counts work without a clock, and finds what grows with the square of its input', async () => {
  const counted = await countToys(COUNTING_FLAGS);
  expect(counted.map(({ name, broken }) => [name, broken])).toEqual([
    ['linear', undefined],
    ['square', GROWS],
    ['square in one block', GROWS],
  ]);
  const [linear, square] = counted.map(({ steps: [first = 0] }) => first);
  // Exactly so: nothing but the work itself is in the count, and none of it is lost.
  const doublings = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  expect(linear).toBeGreaterThan(0);
  expect(counted[0]?.steps).toEqual(doublings.map((by) => (linear ?? 0) * 2 ** by));
  expect(square).toBeGreaterThan(0);
  expect(counted[1]?.steps).toEqual(doublings.map((by) => (square ?? 0) * 4 ** by));
});

it('does not count where V8 would lose count', async () => {
  for (const left of COUNTING_FLAGS) {
    const others = COUNTING_FLAGS.filter((flag) => flag !== left);
    await expect(countToys(others)).rejects.toThrow(`started with ${left}`);
  }
});

it('counts for `npm run fuzz` in the same way', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    scripts: { fuzz: string };
  };
  expect(scripts.fuzz).toBe(`node ${COUNTING_FLAGS.join(' ')} scripts/fuzz.ts`);
});
