import { Worker } from 'node:worker_threads';
import type { Report } from './engine.ts';
import { type Job, SHOWN } from './worker.ts';

/** An input that takes longer is taken to have no end. */
const STUCK_MS = 20_000;
const HEAP_MB = 768;

/** Runs a target in a thread, and ends it if an input keeps it or takes all its memory. */
export async function runWatched(job: Omit<Job, 'shown'>): Promise<Report> {
  const shown = new SharedArrayBuffer(SHOWN.from * 4 + SHOWN.chars * 2);
  const board = new Uint32Array(shown, 0, SHOWN.from);
  const data: Job = { ...job, shown };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const atHand = () => {
    const chars = new Uint16Array(shown, SHOWN.from * 4, board[SHOWN.length]);
    return chars.reduce((text, char) => text + String.fromCharCode(char), '');
  };
  const lost = (property: string): Report => ({
    runs: board[SHOWN.count] ?? 0,
    blocks: 0,
    found: [],
    failure: { property, message: `${property}: the thread was ended.`, input: atHand() },
  });
  const done = Promise.withResolvers<Report>();
  let count = 0;
  let since = performance.now();
  const watching = setInterval(() => {
    const now = Atomics.load(board, SHOWN.count);
    if (now !== count || now === 0) [count, since] = [now, performance.now()];
    else if (performance.now() - since > STUCK_MS) done.resolve(lost('ends'));
  }, 500);
  worker.once('message', (report: Report) => done.resolve(report));
  worker.once('error', (error) => {
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isMemory) done.resolve(lost('takes only so much memory'));
    else done.reject(error);
  });
  try {
    return await done.promise;
  } finally {
    clearInterval(watching);
    await worker.terminate();
  }
}
