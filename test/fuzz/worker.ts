import { parentPort, workerData } from 'node:worker_threads';
import { corpusOf } from './corpus.ts';
import { startCoverage } from './coverage.ts';
import { fuzz, type Report } from './engine.ts';
import { removeScratch } from './scratch.ts';
import { targetIn } from './targets/index.ts';

/** What a thread is to do. */
export interface Job {
  readonly file: string;
  readonly target: string;
  readonly seed: number;
  readonly seconds: number;
  /** Where the input at hand is written, for when this thread does not come back. */
  readonly shown: SharedArrayBuffer;
}

/** An input at hand: its number, its length, its characters. */
export const SHOWN = { count: 0, length: 1, from: 2, chars: 1_000_000 } as const;

/** Takes one target in a thread of its own, which can be ended whatever it is caught in. */
async function work({ file, target: name, seed, seconds, shown }: Job): Promise<Report> {
  const coverage = startCoverage();
  const target = await targetIn(file, name);
  const board = new Uint32Array(shown, 0, SHOWN.from);
  const chars = new Uint16Array(shown, SHOWN.from * 4);
  const until = performance.now() + seconds * 1_000;
  try {
    return await fuzz(target, {
      seed,
      corpus: corpusOf(name).map(({ input }) => input),
      coverage,
      goesOn: () => performance.now() < until,
      clock: () => {
        const { user, system } = process.threadCpuUsage();
        return (user + system) / 1_000;
      },
      about: (input) => {
        const length = Math.min(input.length, chars.length);
        for (let i = 0; i < length; i++) chars[i] = input.charCodeAt(i);
        board[SHOWN.length] = length;
        Atomics.add(board, SHOWN.count, 1);
      },
    });
  } finally {
    coverage.stop();
    removeScratch();
  }
}

if (parentPort) parentPort.postMessage(await work(workerData as Job));
