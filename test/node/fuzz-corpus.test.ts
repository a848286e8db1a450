import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { CORPUS, corpusOf } from '../fuzz/corpus.ts';
import { fuzz } from '../fuzz/engine.ts';
import { smallestThatReach } from '../fuzz/minimize.ts';
import { removeScratch } from '../fuzz/scratch.ts';
import { THROWS_ONLY, target } from '../fuzz/target.ts';
import { allTargets } from '../fuzz/targets/index.ts';

const targets = (await allTargets()).map(({ target }) => target);

/** The same inputs on every run; `npm run fuzz` looks for others. */
const SEED = 20_260_109;
const RUNS = 200;
const SLOW_RUNS = 30;

afterAll(removeScratch);

describe.each(targets.map((each) => [each.name, each] as const))('%s', (name, each) => {
  it('holds for every input that was kept', async () => {
    for (const input of [...each.seeds, ...corpusOf(name).map((kept) => kept.input)]) await each.check(input);
  });

  it('holds for some that were not', async () => {
    const runs = each.isSlow ? SLOW_RUNS : RUNS;
    const { failure } = await fuzz(each, {
      seed: SEED,
      corpus: corpusOf(name).map(({ input }) => input),
      goesOn: (done) => done < runs + each.seeds.length,
    });
    expect(failure).toBeUndefined();
  });
});

describe('the corpus', () => {
  const folders = readdirSync(CORPUS);

  it('belongs to the targets', () => {
    const names = targets.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(folders.filter((folder) => !names.includes(folder))).toEqual([]);
  });

  it('is small', () => {
    const files = folders.flatMap((folder) =>
      readdirSync(join(CORPUS, folder)).map((file) => join(CORPUS, folder, file)),
    );
    expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(300_000);
    for (const folder of folders) expect(readdirSync(join(CORPUS, folder)).length).toBeLessThanOrEqual(40);
  });

  it('is kept as text, or in base64', () => {
    for (const { file } of targets.flatMap(({ name }) => corpusOf(name))) {
      expect(readFileSync(file, 'latin1')).toMatch(/^[\n -~]*$/);
    }
  });
});

describe('the engine', () => {
  const toy = (parse: (input: string) => unknown) =>
    target({
      name: 'toy',
      seeds: ['ab=1'],
      grammar: fc.string({ maxLength: 5 }),
      words: ['=', '7'],
      refuses: [SyntaxError],
      parse,
      properties: { 'a number is small': (value) => expect(value).not.toBe('large') },
    });
  const upTo = (runs: number) => ({ seed: 1, corpus: [], goesOn: (done: number) => done < runs });

  it('finds a property that does not hold, and the smallest input that shows it', async () => {
    const { failure } = await fuzz(
      toy((input) => (/=.*77/.test(input) ? 'large' : 'small')),
      upTo(5_000),
    );
    expect(failure).toMatchObject({ property: 'a number is small', input: '=77' });
  });

  it('takes the errors that a target declares, and no others', async () => {
    const refusing = toy(() => {
      throw new SyntaxError('no');
    });
    expect((await fuzz(refusing, upTo(100))).failure).toBeUndefined();
    const broken = toy((input) => {
      if (input.includes('7')) throw new TypeError('oh');
    });
    expect((await fuzz(broken, upTo(1_000))).failure).toMatchObject({ property: THROWS_ONLY, input: '7' });
  });

  it('tries the same inputs for the same seed', async () => {
    const seen: string[][] = [[], []];
    for (const list of seen) {
      await fuzz(
        toy((input) => list.push(input)),
        upTo(200),
      );
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(new Set(seen[0]).size).toBeGreaterThan(100);
  });

  it('keeps the smallest inputs that reach all that was reached', () => {
    expect(
      smallestThatReach([
        { input: 'a'.repeat(500), blocks: ['1', '2'] },
        { input: 'b', blocks: ['1'] },
        { input: 'c', blocks: ['2'] },
        { input: 'd', blocks: ['2'] },
      ]),
    ).toEqual(['b', 'c']);
  });
});
