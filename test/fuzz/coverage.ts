import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What ran since it was last asked. */
export interface Taken {
  /** The blocks of the product's own code, each by its place. */
  readonly blocks: readonly string[];
  /** How often blocks were entered, in libraries too: work, counted without a clock. */
  readonly steps: number;
}

/**
 * How a process that counts is started. Code that V8 has optimised no longer counts the calls it makes, and V8
 * optimises on another thread, so that a busy machine has another count: without these flags the same work counted
 * as 37,000 steps on a quiet machine and 90,000 on a busy one. Bytecode that was thrown away comes back with finer
 * counters than it had.
 */
export const COUNTING_FLAGS = ['--no-opt', '--no-maglev', '--no-flush-bytecode'] as const;

/** V8's own count of what runs, block by block. */
export interface Coverage {
  take(): Taken;
  stop(): void;
}

/** Start it before the code that it counts is loaded: a function that ran before has no counters for its blocks. */
export function startCoverage(): Coverage {
  const missing = COUNTING_FLAGS.filter((flag) => !process.execArgv.includes(flag));
  if (missing.length > 0)
    throw new Error(`Nothing counts exactly unless Node is started with ${missing.join(' ')}.`);
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    take: () => {
      const blocks: string[] = [];
      let steps = 0;
      // The answer comes before `post` returns.
      session.post('Profiler.takePreciseCoverage', (error, answer) => {
        if (error) throw error;
        for (const { url, functions } of answer.result) {
          const file = fileOf(url);
          if (file === undefined || file.startsWith('test/') || file.startsWith('scripts/')) continue;
          const isOurs = /^(?:src|contracts|local-bridge)\/(?!node_modules)/.test(file);
          for (const { ranges } of functions) {
            for (const { startOffset, endOffset, count } of ranges) {
              steps += count;
              if (isOurs && count > 0) blocks.push(`${file}:${startOffset}-${endOffset}`);
            }
          }
        }
      });
      return { blocks, steps };
    },
    stop: () => {
      session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

/** A file of this folder, by its path in it; `undefined` for what belongs to Node. */
function fileOf(url: string): string | undefined {
  if (!url.startsWith('file://')) return undefined;
  const path = fileURLToPath(url.replace(/[?#].*$/, ''));
  return path.startsWith(root) ? path.slice(root.length) : undefined;
}
