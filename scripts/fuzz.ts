import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { keep, readInput, replaceCorpus } from '../test/fuzz/corpus.ts';
import { smallestThatReach } from '../test/fuzz/minimize.ts';
import { removeScratch } from '../test/fuzz/scratch.ts';
import type { Target } from '../test/fuzz/target.ts';
import { allTargets } from '../test/fuzz/targets/index.ts';
import { runWatched } from '../test/fuzz/watch.ts';

/**
 * Feeds hostile input to each parser that reads strangers' text. See docs/fuzzing.md. `fuzz.ts [target…] [--seconds n]
 * [--seed n] [--minimize] [--list]`, or `fuzz.ts target --input file`.
 */
const DEFAULT_SECONDS = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: String(DEFAULT_SECONDS) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minimize: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    input: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const targets = await allTargets();
const unknown = positionals.filter((name) => !targets.some(({ target }) => target.name === name));
if (unknown.length > 0 || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  for (const name of unknown) console.error(`There is no target ${name}; --list names all.`);
  console.error(
    'Usage: npm run fuzz -- [target…] [--seconds n] [--seed n] [--minimize] [--list] [--input file]',
  );
  process.exit(2);
}
const chosen =
  positionals.length > 0 ? targets.filter(({ target }) => positionals.includes(target.name)) : targets;
if (values.list)
  for (const { target } of chosen) console.log([target.name, ...target.properties].join('\n  '));
else if (values.input !== undefined) await replay(chosen, values.input);
else for (const { file, target } of chosen) await run(file, target);

/** Throws with a description if the input breaks the target. */
async function replay([first]: typeof targets, path: string): Promise<void> {
  try {
    await first?.target.check(readInput(path));
  } finally {
    removeScratch();
  }
  console.log(`${first?.target.name}: everything holds for ${path}.`);
}

async function run(file: string, target: Target): Promise<void> {
  const { name, isBinary = false } = target;
  const began = performance.now();
  const { runs, blocks, found, failure } = await runWatched({ file, target: name, seed, seconds });
  const rate = Math.round(runs / ((performance.now() - began) / 1_000));
  console.log(
    `${name.padEnd(18)} ${String(runs).padStart(8)} inputs, ${rate} a second; ${blocks} blocks reached, ${found.length} inputs led there${failure ? '; BROKEN' : ''}`,
  );
  if (failure) {
    const path = relative('.', keep(name, failure.input, isBinary, true));
    console.error(
      `\n${name}, seed ${seed}: ${failure.message}\n\nInput: ${JSON.stringify(failure.input.slice(0, 500))}`,
    );
    console.error(`Kept in ${path}. Again: npm run fuzz -- ${name} --input ${path}\n`);
    process.exitCode = 1;
  } else if (values.minimize) {
    // Leave the seeds out, because every run tries them anyway.
    const chosen = smallestThatReach(found).filter((input) => !target.seeds.includes(input));
    replaceCorpus(name, chosen, isBinary);
  }
}
