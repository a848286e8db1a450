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

/** V8's own count of what runs, block by block. */
export interface Coverage {
  take(): Taken;
  stop(): void;
}

export function startCoverage(): Coverage {
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
