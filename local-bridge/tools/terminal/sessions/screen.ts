import { Worker } from 'node:worker_threads';
import { safe } from '../clean-text.ts';
import { withoutKeys } from '../private-keys.ts';
import { COLUMNS, ROWS } from './pty.ts';
import { unfinishedLine } from './unfinished-line.ts';

/** The longest time to draw a screen. Some short sequences make an emulator work for hours. */
const DRAW_MS = 5_000;

/** The lines of a screen, without the blank ones at the end, and the line with the cursor. */
export interface Drawn {
  readonly lines: readonly string[];
  readonly cursor: number;
}

/**
 * Draws the screen that the output makes, as text without secrets; undefined if that takes too long. It draws in a
 * thread of its own, so that no output can stop the bridge, and throws away what an emulator would answer: nothing that
 * a program prints is ever typed.
 */
export async function drawScreen(output: Buffer, drawMs = DRAW_MS): Promise<string | undefined> {
  const worker = new Worker(new URL('./screen-drawing.ts', import.meta.url), {
    workerData: { output, columns: COLUMNS, rows: ROWS },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    env: {},
    stdout: true,
    stderr: true,
  });
  const { promise, resolve } = Promise.withResolvers<Drawn | undefined>();
  const timer = setTimeout(() => resolve(undefined), drawMs);
  worker.once('message', resolve);
  worker.once('error', () => resolve(undefined));
  worker.once('exit', () => resolve(undefined));
  try {
    const drawn = await promise;
    if (!drawn) return undefined;
    const { cursor } = drawn;
    const lines = withoutKeys(drawn.lines);
    const above = safe(lines.slice(0, cursor).map(ended).join(''));
    const below = safe(
      lines
        .slice(cursor + 1)
        .map(ended)
        .join(''),
    );
    return above + ended(unfinishedLine(lines[cursor] ?? '')) + below;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function ended(line: string): string {
  return `${line}\n`;
}
